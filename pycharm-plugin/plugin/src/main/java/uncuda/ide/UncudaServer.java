package uncuda.ide;

import com.intellij.platform.lsp.api.Lsp4jServer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.eclipse.lsp4j.jsonrpc.services.JsonRequest;
import uncuda.core.Overview;

/** The server's interface, with the requests that only uncuda's server has. */
public interface UncudaServer extends Lsp4jServer {
    @JsonRequest("uncuda/overview")
    CompletableFuture<Overview.Answer> overview(Map<String, Object> query);

    @JsonRequest("uncuda/overviewPath")
    CompletableFuture<Overview.Path> path(Map<String, Object> query);

    @JsonRequest("uncuda/review")
    CompletableFuture<Overview.Reviewed> review(Map<String, Object> query);

    @JsonRequest("uncuda/targets")
    CompletableFuture<Overview.Targets> targets(Map<String, Object> query);

    @JsonRequest("uncuda/fixedText")
    CompletableFuture<Overview.Fixed> fixedText(Map<String, Object> query);

    @JsonRequest("uncuda/changes")
    CompletableFuture<Overview.Changes> changes(Map<String, Object> wanted);
}
