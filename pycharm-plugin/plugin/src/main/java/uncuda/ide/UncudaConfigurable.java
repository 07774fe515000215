package uncuda.ide;

import com.intellij.openapi.options.Configurable;
import com.intellij.openapi.options.ConfigurationException;
import com.intellij.openapi.project.Project;
import com.intellij.platform.lsp.api.LspServerManager;
import javax.swing.JComponent;
import uncuda.core.Options;

/** The page Settings | Tools | uncuda. Applying it restarts the server, so that the settings take effect at once. */
public final class UncudaConfigurable implements Configurable {
    private final Project project;
    /**
     * Created when the page is shown, because the IDE may construct the page in the background; null before and after.
     */
    private SettingsForm form;

    public UncudaConfigurable(Project project) {
        this.project = project;
    }

    @Override
    public String getDisplayName() {
        return UncudaSettings.of(project).messages().get("settings.title");
    }

    @Override
    public JComponent createComponent() {
        form = new SettingsForm(project, UncudaSettings.of(project).messages());
        reset();
        return form.page;
    }

    @Override
    public boolean isModified() {
        return form != null && !form.shown().equals(stored());
    }

    @Override
    public void apply() throws ConfigurationException {
        if (isModified()) {
            form.check();
            UncudaSettings.of(project).set(form.shown());
            LspServerManager.getInstance(project).stopAndRestartIfNeeded(UncudaLspProvider.class);
        }
    }

    @Override
    public void reset() {
        if (form != null) {
            form.show(stored());
        }
    }

    @Override
    public void disposeUIResources() {
        form = null;
    }

    private Options stored() {
        return UncudaSettings.of(project).options();
    }
}
