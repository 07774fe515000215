package uncuda.test;

import com.intellij.openapi.components.PersistentStateComponent;
import com.intellij.openapi.project.Project;
import java.lang.reflect.Field;
import java.util.Map;

/** Reads and writes the plugin's settings as the IDE does: by the public fields of their state. */
final class Settings {
    private Settings() {
    }

    /** {@code name}: a field of the state, or else the key of a setting of the server. */
    static void set(Project project, String name, Object value) throws ReflectiveOperationException {
        Object state = state(project);
        for (Field field : state.getClass().getFields()) {
            if (field.getName().equals(name)) {
                field.set(state, value);
                return;
            }
        }
        server(state).put(name, (String) value);
    }

    static Object get(Project project, String name) throws ReflectiveOperationException {
        return state(project).getClass().getField(name).get(state(project));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, String> server(Object state) throws ReflectiveOperationException {
        return (Map<String, String>) state.getClass().getField("server").get(state);
    }

    private static Object state(Project project) throws ReflectiveOperationException {
        Object service = project.getService(Class.forName("uncuda.ide.UncudaSettings"));
        return ((PersistentStateComponent<?>) service).getState();
    }
}
