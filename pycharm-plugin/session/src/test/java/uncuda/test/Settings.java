package uncuda.test;

import com.intellij.openapi.components.PersistentStateComponent;
import com.intellij.openapi.project.Project;

/** The plugin's settings, as the IDE loads them: by the public fields of their state. */
final class Settings {
    private Settings() {
    }

    static void set(Project project, String name, String value) throws ReflectiveOperationException {
        Object service = project.getService(Class.forName("uncuda.ide.UncudaSettings"));
        Object state = ((PersistentStateComponent<?>) service).getState();
        state.getClass().getField(name).set(state, value);
    }
}
