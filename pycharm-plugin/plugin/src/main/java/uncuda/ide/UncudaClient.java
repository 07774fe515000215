package uncuda.ide;

import com.google.gson.JsonObject;
import com.intellij.openapi.project.Project;
import com.intellij.platform.lsp.api.Lsp4jClient;
import com.intellij.platform.lsp.api.LspServerNotificationsHandler;
import org.eclipse.lsp4j.jsonrpc.services.JsonNotification;

/**
 * The IDE's language client, extended by the notifications that only uncuda's server sends. Its methods run on the
 * thread that reads from the server, and must not block.
 */
public final class UncudaClient extends Lsp4jClient {
    private final Project project;

    UncudaClient(LspServerNotificationsHandler handler, Project project) {
        super(handler);
        this.project = project;
    }

    @JsonNotification("uncuda/overviewChanged")
    public void overviewChanged(JsonObject changed) {
        if (!project.isDisposed()) {
            ProjectPort.of(project).refresh();
        }
    }

    /** The user has pressed a button in a message of the server. */
    @JsonNotification("uncuda/showOverview")
    public void showOverview(JsonObject shown) {
        if (!project.isDisposed()) {
            PortWindow.open(project, shown.get("what").getAsString());
        }
    }
}
