package uncuda.ide;

import com.google.gson.JsonObject;
import com.intellij.openapi.project.Project;
import com.intellij.platform.lsp.api.Lsp4jClient;
import com.intellij.platform.lsp.api.LspServerNotificationsHandler;
import org.eclipse.lsp4j.jsonrpc.services.JsonNotification;

/** The IDE's client with the notifications that the server sends of its own; its thread may wait for nothing. */
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

    /** A button of one of the server's messages was pressed. */
    @JsonNotification("uncuda/showOverview")
    public void showOverview(JsonObject shown) {
        if (!project.isDisposed()) {
            PortWindow.open(project, shown.get("what").getAsString());
        }
    }
}
