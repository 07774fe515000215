package uncuda.test;

import com.intellij.platform.lsp.api.LspServerDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.eclipse.lsp4j.ApplyWorkspaceEditParams;
import org.eclipse.lsp4j.ApplyWorkspaceEditResponse;
import org.eclipse.lsp4j.ConfigurationParams;
import org.eclipse.lsp4j.MessageActionItem;
import org.eclipse.lsp4j.MessageParams;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.ProgressParams;
import org.eclipse.lsp4j.PublishDiagnosticsParams;
import org.eclipse.lsp4j.RegistrationParams;
import org.eclipse.lsp4j.ResourceOperation;
import org.eclipse.lsp4j.ShowDocumentParams;
import org.eclipse.lsp4j.ShowDocumentResult;
import org.eclipse.lsp4j.ShowMessageRequestParams;
import org.eclipse.lsp4j.TextDocumentEdit;
import org.eclipse.lsp4j.TextEdit;
import org.eclipse.lsp4j.UnregistrationParams;
import org.eclipse.lsp4j.WorkDoneProgressBegin;
import org.eclipse.lsp4j.WorkDoneProgressCreateParams;
import org.eclipse.lsp4j.WorkDoneProgressEnd;
import org.eclipse.lsp4j.WorkspaceEdit;
import org.eclipse.lsp4j.jsonrpc.messages.Either;
import org.eclipse.lsp4j.services.LanguageClient;

/**
 * Replies as the client of JetBrains' IDEs does. An edit is refused as a whole if one of its files does not exist, is
 * outside the project or in a folder that the IDE excludes, or has another version than the edit states.
 */
final class JetBrainsClient implements LanguageClient {
    record Open(int version, String text) {
    }

    final Map<Path, Open> open = new ConcurrentHashMap<>();
    final List<List<Path>> asked = new CopyOnWriteArrayList<>();
    final List<String> shown = new CopyOnWriteArrayList<>();
    final List<String> messages = new CopyOnWriteArrayList<>();
    /** The messages in the order of their arrival: "begin" and "end" of progress, "edit" for each part of the edits. */
    final List<String> events = new CopyOnWriteArrayList<>();
    final CompletableFuture<Either<String, Integer>> progress = new CompletableFuture<>();
    /** Runs between the arrival of an edit and its application. */
    volatile Runnable meanwhile = () -> { };
    volatile Path excluded;
    /** Whether the user presses the first button of each message; if not, the user presses none. */
    volatile boolean takesFirst = true;
    private final Path project;
    private final LspServerDescriptor descriptor;
    /** One thread applies the edits, as in the IDE; another thread reads from the server. */
    private final ExecutorService edits = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "edits");
        thread.setDaemon(true);
        return thread;
    });

    JetBrainsClient(Path project, LspServerDescriptor descriptor) {
        this.project = project;
        this.descriptor = descriptor;
    }

    @Override
    public CompletableFuture<ApplyWorkspaceEditResponse> applyEdit(ApplyWorkspaceEditParams params) {
        events.add("edit");
        return CompletableFuture.supplyAsync(() -> {
            asked.add(files(params.getEdit()));
            meanwhile.run();
            return new ApplyWorkspaceEditResponse(apply(params.getEdit()));
        }, edits);
    }

    /** Wait until the edits that the server has requested so far are applied. */
    void finishEdits() throws Exception {
        CompletableFuture.runAsync(() -> { }, edits).get(30, TimeUnit.SECONDS);
    }

    private static List<Path> files(WorkspaceEdit edit) {
        return edit.getDocumentChanges().stream()
                .map(change -> path(change.getLeft().getTextDocument().getUri())).toList();
    }

    private static Path path(String uri) {
        return Path.of(URI.create(uri));
    }

    /** Apply the whole edit, or nothing; return whether it was applied. */
    boolean apply(WorkspaceEdit edit) {
        List<TextDocumentEdit> changes = new ArrayList<>();
        for (Either<TextDocumentEdit, ResourceOperation> change : edit.getDocumentChanges()) {
            if (change.isRight() || !isAccepted(change.getLeft())) {
                return false;
            }
            changes.add(change.getLeft());
        }
        changes.forEach(this::change);
        return true;
    }

    private boolean isAccepted(TextDocumentEdit change) {
        Path file = path(change.getTextDocument().getUri());
        Integer version = change.getTextDocument().getVersion();
        Open known = open.get(file);
        return Files.isRegularFile(file) && file.startsWith(project) && (excluded == null || !file.startsWith(excluded))
                && (version == null || version == -1 || known != null && known.version == version);
    }

    private void change(TextDocumentEdit change) {
        Path file = path(change.getTextDocument().getUri());
        try {
            Open known = open.get(file);
            String text = edited(known == null ? Files.readString(file) : known.text, change.getEdits());
            if (known == null) {
                Files.writeString(file, text);
            } else {
                open.put(file, new Open(known.version + 1, text));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Return the text after edits. The edits' positions refer to the old text, so they are applied from the end. Newer
     * versions of lsp4j wrap each edit in an Either.
     */
    static String edited(String text, List<?> edits) {
        StringBuilder result = new StringBuilder(text);
        edits.stream().map(one -> one instanceof Either<?, ?> either ? either.getLeft() : one).map(TextEdit.class::cast)
                .sorted((a, b) -> offset(text, b.getRange().getStart()) - offset(text, a.getRange().getStart()))
                .forEach(one -> result.replace(offset(text, one.getRange().getStart()),
                        offset(text, one.getRange().getEnd()), one.getNewText()));
        return result.toString();
    }

    private static int offset(String text, Position position) {
        int start = 0;
        for (int line = 0; line < position.getLine(); line++) {
            start = text.indexOf('\n', start) + 1;
        }
        return start + position.getCharacter();
    }

    @Override
    public CompletableFuture<List<Object>> configuration(ConfigurationParams params) {
        List<Object> answers = new ArrayList<>();
        params.getItems().forEach(item -> answers.add(descriptor.getWorkspaceConfiguration(item)));
        return CompletableFuture.completedFuture(answers);
    }

    @Override
    public void notifyProgress(ProgressParams params) {
        if (params.getValue().getLeft() instanceof WorkDoneProgressBegin) {
            events.add("begin");
            progress.complete(params.getToken());
        } else if (params.getValue().getLeft() instanceof WorkDoneProgressEnd) {
            events.add("end");
        }
    }

    @Override
    public CompletableFuture<Void> createProgress(WorkDoneProgressCreateParams params) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> registerCapability(RegistrationParams params) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> unregisterCapability(UnregistrationParams params) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> refreshDiagnostics() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<ShowDocumentResult> showDocument(ShowDocumentParams params) {
        shown.add(params.getUri());
        return CompletableFuture.completedFuture(new ShowDocumentResult(true));
    }

    @Override
    public void showMessage(MessageParams params) {
        messages.add(params.getMessage());
    }

    @Override
    public CompletableFuture<MessageActionItem> showMessageRequest(ShowMessageRequestParams params) {
        messages.add(params.getMessage());
        return CompletableFuture.completedFuture(takesFirst ? params.getActions().get(0) : null);
    }

    @Override
    public void telemetryEvent(Object object) {
    }

    @Override
    public void publishDiagnostics(PublishDiagnosticsParams diagnostics) {
        throw new AssertionError("this client asks for diagnostics");
    }

    @Override
    public void logMessage(MessageParams message) {
    }
}
