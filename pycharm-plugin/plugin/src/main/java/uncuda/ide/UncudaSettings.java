package uncuda.ide;

import com.intellij.DynamicBundle;
import com.intellij.openapi.components.PersistentStateComponent;
import com.intellij.openapi.components.State;
import com.intellij.openapi.components.Storage;
import com.intellij.openapi.project.Project;
import java.util.Map;
import java.util.TreeMap;
import uncuda.core.Messages;
import uncuda.core.Options;

/** The settings of one project on this machine, stored in the workspace file and not shared. */
@State(name = "Uncuda", storages = @Storage("$WORKSPACE_FILE$"))
public final class UncudaSettings implements PersistentStateComponent<UncudaSettings.Values> {
    /** The stored values; the IDE needs public fields. */
    public static final class Values {
        public String interpreter = "";
        public String importStrategy = "";
        public boolean fixesOnSave;
        public Map<String, String> server = new TreeMap<>();
    }

    private volatile Values values = new Values();

    static UncudaSettings of(Project project) {
        return project.getService(UncudaSettings.class);
    }

    @Override
    public Values getState() {
        return values;
    }

    @Override
    public void loadState(Values state) {
        values = state;
    }

    Options options() {
        Values now = values;
        return new Options(now.interpreter, now.importStrategy, now.fixesOnSave, now.server);
    }

    void set(Options options) {
        Values now = new Values();
        now.interpreter = options.interpreter();
        now.importStrategy = options.importStrategy();
        now.fixesOnSave = options.fixesOnSave();
        now.server.putAll(options.server());
        values = now;
    }

    Messages messages() {
        return Messages.of(options().locale(), DynamicBundle.getLocale());
    }

    Map<String, Object> forServer() {
        return options().forServer(DynamicBundle.getLocale().getLanguage().equals("zh") ? "zh" : "");
    }
}
