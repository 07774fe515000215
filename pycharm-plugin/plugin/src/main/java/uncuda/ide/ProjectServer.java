package uncuda.ide;

import com.intellij.openapi.project.Project;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerManager;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.eclipse.lsp4j.ExecuteCommandParams;
import uncuda.core.Overview;
import uncuda.core.Port;

/**
 * Sends requests to the server of a project, if one is running. Must not be used on the event thread, because each call
 * blocks.
 */
record ProjectServer(Project project) implements Port.Server {
    private static final int ANSWER_MS = 30_000, COMMAND_MS = 30 * 60 * 1000;

    @Override
    public Overview.Answer overview(Map<String, Object> query) {
        return ask(server -> server.overview(query));
    }

    @Override
    public Overview.Path path(Map<String, Object> query) {
        return ask(server -> server.path(query));
    }

    @Override
    public Overview.Reviewed review(Map<String, Object> query) {
        return ask(server -> server.review(query));
    }

    @Override
    public Overview.Targets targets(Map<String, Object> query) {
        return ask(server -> server.targets(query));
    }

    @Override
    public Overview.Fixed fixedText(Map<String, Object> query) {
        return ask(server -> server.fixedText(query));
    }

    @Override
    public Overview.Changes changes(Map<String, Object> wanted) {
        return ask(server -> server.changes(wanted));
    }

    private <T> T ask(Function<UncudaServer, CompletableFuture<T>> request) {
        return request((client, server) -> request.apply(server), ANSWER_MS);
    }

    @Override
    public Object execute(String command, List<?> arguments) {
        return execute(command, client -> arguments);
    }

    /** {@code arguments}: returns the arguments for a client, which provides the URIs of files. */
    Object execute(String command, Function<LspServer, List<?>> arguments) {
        return request((client, server) -> server.getWorkspaceService().executeCommand(
                new ExecuteCommandParams(command, List.copyOf(arguments.apply(client)))), COMMAND_MS);
    }

    boolean runs() {
        return client() != null;
    }

    private LspServer client() {
        if (project.isDisposed()) {
            return null;
        }
        Iterator<LspServer> running =
                LspServerManager.getInstance(project).getServersForProvider(UncudaLspProvider.class).iterator();
        return running.hasNext() ? running.next() : null;
    }

    /** Send a request; null if no server is running, or if the reply does not come in time. */
    private <T> T request(BiFunction<LspServer, UncudaServer, CompletableFuture<T>> request, int timeout) {
        LspServer client = client();
        return client == null ? null
                : client.sendRequestSync(timeout, server -> request.apply(client, (UncudaServer) server));
    }
}
