package uncuda.test;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.Lsp4jServer;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerDescriptor;
import com.intellij.platform.lsp.api.LspServerNotificationsHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.swing.SwingUtilities;
import kotlin.jvm.functions.Function1;
import org.eclipse.lsp4j.ClientCapabilities;
import org.eclipse.lsp4j.ClientInfo;
import org.eclipse.lsp4j.CodeAction;
import org.eclipse.lsp4j.CodeActionContext;
import org.eclipse.lsp4j.CodeActionParams;
import org.eclipse.lsp4j.CodeActionTriggerKind;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.DidChangeTextDocumentParams;
import org.eclipse.lsp4j.DidOpenTextDocumentParams;
import org.eclipse.lsp4j.DocumentDiagnosticParams;
import org.eclipse.lsp4j.ExecuteCommandParams;
import org.eclipse.lsp4j.InitializeParams;
import org.eclipse.lsp4j.InitializeResult;
import org.eclipse.lsp4j.InitializedParams;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.TextDocumentContentChangeEvent;
import org.eclipse.lsp4j.TextDocumentIdentifier;
import org.eclipse.lsp4j.TextDocumentItem;
import org.eclipse.lsp4j.VersionedTextDocumentIdentifier;
import org.eclipse.lsp4j.WorkspaceFolder;
import org.eclipse.lsp4j.jsonrpc.Endpoint;
import org.eclipse.lsp4j.jsonrpc.Launcher;
import org.eclipse.lsp4j.jsonrpc.MessageConsumer;
import org.eclipse.lsp4j.jsonrpc.json.MessageJsonHandler;
import org.eclipse.lsp4j.jsonrpc.messages.Either;
import org.eclipse.lsp4j.jsonrpc.messages.NotificationMessage;
import org.eclipse.lsp4j.jsonrpc.services.GenericEndpoint;
import uncuda.core.Commands;
import uncuda.core.Report;

/** A session with the real server, started with the plugin's descriptor, and a client that behaves as PyCharm does. */
final class Session implements AutoCloseable {
    private static final int SECONDS = 60;

    final JetBrainsClient client;
    final Lsp4jServer server;
    private final LspServerDescriptor descriptor;
    final Process process;
    final InitializeResult initialized;
    private final Path errors;
    private final CompletableFuture<Object> died;

    Session(LspServerDescriptor descriptor, Path project, Path errors) throws Exception {
        this.descriptor = descriptor;
        this.errors = errors;
        process = descriptor.createCommandLine().toProcessBuilder().redirectError(errors.toFile()).start();
        // lsp4j never completes the requests to a server that has exited
        died = process.onExit().thenApply(dead -> {
            throw new IllegalStateException("the server ended with " + dead.exitValue());
        });
        client = new JetBrainsClient(project, descriptor);
        Launcher<Lsp4jServer> launcher = new Launcher.Builder<Lsp4jServer>()
                .setLocalService(client).setRemoteInterface(descriptor.getLsp4jServerClass())
                .wrapMessages(this::withOurs)
                .setInput(process.getInputStream()).setOutput(process.getOutputStream()).create();
        launcher.startListening();
        server = launcher.getRemoteProxy();
        initialized = await(server.initialize(parameters(descriptor, project)));
        server.initialized(new InitializedParams());
        descriptor.getLspServerListener().serverInitialized(initialized);
    }

    /**
     * Return a consumer that passes the notifications of uncuda to the plugin's client, and all others to the IDE's; in
     * the IDE one client does both.
     */
    private MessageConsumer withOurs(MessageConsumer ides) {
        Endpoint ours = new GenericEndpoint(descriptor.createLsp4jClient(new LspServerNotificationsHandler() { }));
        return message -> {
            if (message instanceof NotificationMessage told && told.getMethod().startsWith("uncuda/")) {
                ours.notify(told.getMethod(), told.getParams());
            } else {
                ides.consume(message);
            }
        };
    }

    /** The server object that the IDE's manager returns for the plugin's provider. */
    LspServer inIde() {
        return new LspServer() {
            @Override
            public TextDocumentIdentifier getDocumentIdentifier(VirtualFile file) {
                return identifier(file.toNioPath());
            }

            @Override
            public <T> T sendRequestSync(int timeout, Function1<? super Lsp4jServer, ? extends CompletableFuture<T>> ask) {
                if (SwingUtilities.isEventDispatchThread()) {
                    throw new AssertionError("the event thread would wait for the server");
                }
                try {
                    return await(ask.invoke(server));
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        };
    }

    @SuppressWarnings("deprecation") // PyCharm sends rootUri
    private static InitializeParams parameters(LspServerDescriptor descriptor, Path project) throws Exception {
        JsonObject profile = JsonParser.parseString(Files.readString(Path.of(System.getProperty("test.profile"))))
                .getAsJsonObject();
        Gson gson = new MessageJsonHandler(Map.of()).getGson();
        InitializeParams params = new InitializeParams();
        params.setClientInfo(gson.fromJson(profile.get("clientInfo"), ClientInfo.class));
        ClientCapabilities capabilities = gson.fromJson(profile.get("capabilities"), ClientCapabilities.class);
        capabilities.setExperimental(descriptor.getClientCapabilities().getExperimental());
        params.setCapabilities(capabilities);
        params.setWorkspaceFolders(List.of(new WorkspaceFolder(project.toUri().toString(), "project")));
        params.setRootUri(project.toUri().toString());
        params.setInitializationOptions(descriptor.createInitializationOptions());
        return params;
    }

    /** Return the reply; if there is none, raise an error with the server's standard error. */
    <T> T await(CompletableFuture<T> answer) throws Exception {
        try {
            CompletableFuture.anyOf(answer, died).get(SECONDS, TimeUnit.SECONDS);
            return answer.get();
        } catch (Exception e) {
            throw new AssertionError(Files.readString(errors), e);
        }
    }

    /** Open a file. PyCharm's document versions may begin with any number. */
    void open(Path file) throws Exception {
        String text = Files.readString(file);
        client.open.put(file, new JetBrainsClient.Open(70, text));
        server.getTextDocumentService().didOpen(
                new DidOpenTextDocumentParams(new TextDocumentItem(uri(file), "python", 70, text)));
    }

    /** Type text at the end of an open file. */
    void type(Path file, String more) {
        replace(file, client.open.get(file).text() + more);
    }

    void replace(Path file, String text) {
        JetBrainsClient.Open known = client.open.get(file);
        JetBrainsClient.Open now = new JetBrainsClient.Open(known.version() + 1, text);
        client.open.put(file, now);
        server.getTextDocumentService().didChange(new DidChangeTextDocumentParams(
                new VersionedTextDocumentIdentifier(uri(file), now.version()),
                List.of(new TextDocumentContentChangeEvent(now.text()))));
    }

    List<Diagnostic> diagnostics(Path file) throws Exception {
        return await(server.getTextDocumentService().diagnostic(new DocumentDiagnosticParams(identifier(file))))
                .getLeft().getItems();
    }

    /** The code actions for one finding; the IDE sends one request for each finding. */
    List<CodeAction> quickFixes(Path file, Diagnostic diagnostic) throws Exception {
        return actions(file, diagnostic.getRange(), new CodeActionContext(List.of(diagnostic), List.of("quickfix")));
    }

    /** The code actions at the caret; the IDE requests no special kind. */
    List<CodeAction> intentions(Path file, Range caret) throws Exception {
        return actions(file, caret, new CodeActionContext(List.of())).stream()
                .filter(action -> !action.getKind().startsWith("quickfix")).toList();
    }

    private List<CodeAction> actions(Path file, Range range, CodeActionContext context) throws Exception {
        context.setTriggerKind(CodeActionTriggerKind.Automatic);
        return await(server.getTextDocumentService().codeAction(new CodeActionParams(identifier(file), range, context)))
                .stream().map(Either::getRight).toList();
    }

    /** Return the action with its edit, which the IDE requests when the popup opens. */
    CodeAction resolved(CodeAction action) throws Exception {
        return action.getEdit() != null ? action : await(server.getTextDocumentService().resolveCodeAction(action));
    }

    CompletableFuture<Object> begin(Commands command, String uri) {
        return server.getWorkspaceService().executeCommand(
                new ExecuteCommandParams(command.id(), command.arguments(uri)));
    }

    Report run(Commands command) throws Exception {
        return Report.of(await(begin(command, "")));
    }

    static String uri(Path file) {
        return file.toUri().toString();
    }

    private static TextDocumentIdentifier identifier(Path file) {
        return new TextDocumentIdentifier(uri(file));
    }

    /** Stop the server as the IDE does; return the exit code. */
    int shutDown() throws Exception {
        await(server.shutdown());
        server.exit();
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the server does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
