package uncuda.ide;

import com.intellij.execution.ExecutionException;
import com.intellij.execution.configurations.GeneralCommandLine;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.application.PathManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.Computable;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.Lsp4jClient;
import com.intellij.platform.lsp.api.Lsp4jServer;
import com.intellij.platform.lsp.api.LspServerListener;
import com.intellij.platform.lsp.api.LspServerNotificationsHandler;
import com.intellij.platform.lsp.api.ProjectWideLspServerDescriptor;
import com.intellij.util.EnvironmentUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.eclipse.lsp4j.ClientCapabilities;
import org.eclipse.lsp4j.ConfigurationItem;
import org.eclipse.lsp4j.InitializeResult;
import uncuda.core.Bundle;
import uncuda.core.Environment;
import uncuda.core.Interpreters;
import uncuda.core.Interpreters.Candidate;
import uncuda.core.Options;
import uncuda.core.Overview;
import uncuda.core.Start;

/** Describes to the IDE how the server of a project is started, and which settings it gets. */
final class UncudaLspDescriptor extends ProjectWideLspServerDescriptor {
    private final VirtualFile firstFile;
    /** Whether a balloon has told the user that the start failed; each failed start shows only one balloon. */
    private volatile boolean isToldOfFailure;

    UncudaLspDescriptor(Project project, VirtualFile firstFile) {
        super(project, "uncuda");
        this.firstFile = firstFile;
    }

    static boolean isPython(VirtualFile file) {
        String extension = file.getExtension();
        return file.isInLocalFileSystem() && ("py".equals(extension) || "pyi".equals(extension));
    }

    @Override
    public boolean isSupportedFile(VirtualFile file) {
        return isPython(file);
    }

    /** The IDE calls this method in the background, so it may run a Python to test it. */
    @Override
    public GeneralCommandLine createCommandLine() throws ExecutionException {
        UncudaSettings settings = UncudaSettings.of(getProject());
        Options options = settings.options();
        // may wait for the user's shell, so it must not be called with a lock
        Environment environment = Environment.of(EnvironmentUtil.getEnvironmentMap());
        String named = Interpreters.fromSetting(options.interpreter(), getProject().getBasePath(), environment);
        Computable<List<Candidate>> candidates = () -> Interpreters.candidates(
                named, Sdks.ofModule(getProject(), firstFile), Sdks.ofProject(getProject()), environment);
        try {
            List<String> command = Start.command(options,
                    ApplicationManager.getApplication().runReadAction(candidates), bundle(), environment,
                    settings.messages());
            return new GeneralCommandLine(command)
                    .withWorkDirectory(bundle().folder().toString())
                    .withEnvironment("PYTHONUTF8", "1")
                    .withCharset(StandardCharsets.UTF_8);
        } catch (Start.Failure failure) {
            isToldOfFailure = true;
            Balloons.notStarted(getProject(), failure);
            throw new ExecutionException(failure.getMessage());
        }
    }

    static Bundle bundle() {
        return new Bundle(PathManager.getJarForClass(UncudaLspDescriptor.class));
    }

    @Override
    public Object createInitializationOptions() {
        return Map.of("settings", UncudaSettings.of(getProject()).forServer());
    }

    /** Runs on the thread that reads from the server, so it must not block. */
    @Override
    public Object getWorkspaceConfiguration(ConfigurationItem item) {
        return "uncuda".equals(item.getSection()) ? UncudaSettings.of(getProject()).forServer() : null;
    }

    /** The IDE's capabilities, with the plugin's own. */
    @Override
    public ClientCapabilities getClientCapabilities() {
        ClientCapabilities capabilities = super.getClientCapabilities();
        capabilities.setExperimental(Overview.capability());
        return capabilities;
    }

    @Override
    public Class<? extends Lsp4jServer> getLsp4jServerClass() {
        return UncudaServer.class;
    }

    @Override
    public Lsp4jClient createLsp4jClient(LspServerNotificationsHandler handler) {
        return new UncudaClient(handler, getProject());
    }

    @Override
    public LspServerListener getLspServerListener() {
        return new LspServerListener() {
            @Override
            public void serverInitialized(InitializeResult result) {
                if (!getProject().isDisposed()) {
                    ProjectPort.of(getProject()).started(UncudaLspDescriptor.this, result.getCapabilities().getExperimental());
                }
            }

            @Override
            public void serverStopped(boolean shutdownNormally) {
                if (!getProject().isDisposed()) {
                    ProjectPort.of(getProject()).stopped(UncudaLspDescriptor.this);
                }
                if (!shutdownNormally && !isToldOfFailure && !getProject().isDisposed()) {
                    Balloons.stopped(getProject());
                }
            }
        };
    }
}
