package uncuda.test;

import com.intellij.openapi.components.PersistentStateComponent;
import com.intellij.openapi.project.Project;

/** The plugin's settings, as the IDE loads and stores them: by the public fields of their state. */
final class Settings {
    private Settings() {
    }

    static void set(Project project, String name, String value) throws ReflectiveOperationException {
        Object state = state(project);
        state.getClass().getField(name).set(state, value);
    }

    static String get(Project project, String name) throws ReflectiveOperationException {
        Object state = state(project);
        return (String) state.getClass().getField(name).get(state);
    }

    private static Object state(Project project) throws ReflectiveOperationException {
        Object service = project.getService(Class.forName("uncuda.ide.UncudaSettings"));
        return ((PersistentStateComponent<?>) service).getState();
    }
}
