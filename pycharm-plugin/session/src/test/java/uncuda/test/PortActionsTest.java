package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.intellij.platform.lsp.api.LspServerDescriptor;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.eclipse.lsp4j.DidChangeWatchedFilesParams;
import org.eclipse.lsp4j.ExecuteCommandParams;
import org.eclipse.lsp4j.FileChangeType;
import org.eclipse.lsp4j.FileEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import uncuda.core.Commands;
import uncuda.core.Messages;
import uncuda.core.Overview;
import uncuda.core.Overview.Action;
import uncuda.core.Overview.Node;
import uncuda.core.Port;
import uncuda.ide.UncudaServer;

/** Tests of the actions of the port with the real server and the whole plugin, except the IDE's windows. */
@Timeout(120)
class PortActionsTest {
    private static final String SAFE = PortFiles.SAFE;
    private static final String FIXED = SAFE.replace("torch\n", "torch\nimport torch_npu\n").replace(".cuda", ".npu");
    private static final String NOTEBOOK = """
            {"cells": [{"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [],
              "source": ["import torch\\n", "n = torch.cuda.device_count()"]}],
             "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
            """;

    @TempDir
    Path folder;
    private Path project;
    private Path safe;
    private MiniPlatform ide;
    private Session session;
    private Port port;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final List<Overview.Compared> compared = new CopyOnWriteArrayList<>();
    private final Port.Memory memory = new Port.Memory();
    private volatile String text = "";
    private String reason;

    private final class Server implements Port.Server {
        @Override
        public Overview.Answer overview(Map<String, Object> query) {
            return answer(() -> session.await(((UncudaServer) session.server).overview(query)));
        }

        @Override
        public Overview.Path path(Map<String, Object> query) {
            return answer(() -> session.await(((UncudaServer) session.server).path(query)));
        }

        @Override
        public Overview.Reviewed review(Map<String, Object> query) {
            return answer(() -> session.await(((UncudaServer) session.server).review(query)));
        }

        @Override
        public Overview.Targets targets(Map<String, Object> query) {
            return answer(() -> session.await(((UncudaServer) session.server).targets(query)));
        }

        @Override
        public Overview.Fixed fixedText(Map<String, Object> query) {
            return answer(() -> session.await(((UncudaServer) session.server).fixedText(query)));
        }

        @Override
        public Overview.Changes changes(Map<String, Object> wanted) {
            return answer(() -> session.await(((UncudaServer) session.server).changes(wanted)));
        }

        @Override
        public Object execute(String command, List<?> arguments) {
            return answer(() -> session.await(session.server.getWorkspaceService().executeCommand(
                    new ExecuteCommandParams(command, List.copyOf(arguments)))));
        }

        private <T> T answer(Callable<T> ask) {
            try {
                return ask.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private final class Windows implements Port.Ide {
        @Override
        public void tell(String said) {
            done.add(said);
        }

        @Override
        public void offer(String title, String said, String action, Runnable run) {
            done.add(said);
        }

        @Override
        public void open(String name, String said) {
            done.add(name);
        }

        @Override
        public void open(Node node) {
            done.add("open " + node.description());
        }

        @Override
        public void compare(Overview.Compared finding) {
            done.add("compare " + finding.label());
        }

        @Override
        public void compare(List<Overview.Compared> files) {
            compared.addAll(files);
            done.add(files.size() + " files");
        }

        @Override
        public String ask(String title, String question) {
            return reason;
        }

        @Override
        public void run(boolean savesFirst, Supplier<Object> work, Consumer<Object> then) {
            then.accept(work.get());
        }
    }

    @BeforeEach
    void start() throws Exception {
        project = PortFiles.write(folder);
        safe = project.resolve("a.py");
        ide = PortFiles.open(project);
        LspServerDescriptor descriptor = ide.open(safe).get(0);
        session = new Session(descriptor, project, folder.resolve("errors.txt"));
        port = new Port(new Server(), thread, thread, new Windows(), memory, () -> new Messages(Locale.ENGLISH));
        on(() -> port.show((shown, said, selected) -> text = said));
        port.started(session, session.initialized.getCapabilities().getExperimental());
        refreshed("3 left");
    }

    @AfterEach
    void stop() {
        thread.shutdownNow();
        session.close();
        ide.close();
    }

    private void on(Runnable does) throws Exception {
        thread.submit(does).get(30, TimeUnit.SECONDS);
    }

    /** Refresh the view until it shows a text. Another test checks that the server's notification refreshes it. */
    private void refreshed(String said) throws Exception {
        Screen.until(() -> {
            port.refresh();
            on(() -> { });
            return text.equals(said);
        }, () -> text + " is not " + said);
    }

    /** Review the first finding, and check that {@code said} is then shown. */
    private void review(String said, String... filter) throws Exception {
        memory.filter = List.of(filter);
        on(() -> port.review().go(0));
        said(said);
    }

    /** Wait until something is shown, and check that it is {@code next}. A review that waits is told of changes. */
    private void said(String next) throws Exception {
        Screen.until(() -> {
            port.refresh();
            return !done.isEmpty();
        }, () -> "nothing is shown");
        assertEquals(next, done.remove(0));
    }

    @Test
    void fixIsMadeAndTheReviewGoesOn() throws Exception {
        review("compare a.py: cuda-api (1 of 2)", "safe", "review");
        on(() -> port.review().act(Action.FIX));
        assertEquals(FIXED, Files.readString(safe));
        said("compare b.py: cuda-extension (1 of 1)");
    }

    @Test
    void fixOfATextThatHasChangedIsRefused() throws Exception {
        session.open(safe);
        review("compare a.py: cuda-api (1 of 1)", "safe");
        session.type(safe, "# more\n");
        on(() -> port.review().act(Action.FIX));
        assertEquals(SAFE + "# more\n", session.client.open.get(safe).text());
        assertEquals(List.of(), session.client.asked);
        assertTrue(session.client.messages.get(0).contains("look again"), session.client.messages.toString());
        assertEquals(List.of(), done);
    }

    @Test
    void whatIsAcceptedStandsInTheBaselineWithItsReason() throws Exception {
        review("open c.py:2", "manual");
        reason = "runs on the host";
        session.client.takesFirst = false; // the first button would undo the acceptance
        on(() -> port.review().act(Action.ACCEPT));
        assertTrue(Files.readString(project.resolve("uncuda-baseline.jsonl")).contains("runs on the host"));
        said("Nothing is left to review.");
        refreshed("2 left · 1 accepted · shown: By hand · the filter hides all findings");
    }

    @Test
    void whatIsSuppressedHasAComment() throws Exception {
        review("open c.py:2", "manual");
        reason = "runs on the host";
        on(() -> port.review().act(Action.SUPPRESS));
        String text = Files.readString(project.resolve("c.py"));
        assertTrue(text.contains("# uncuda: ignore[") && text.contains("runs on the host"), text);
        said("Nothing is left to review.");
    }

    @Test
    void skippedFindingsArePassedOver() throws Exception {
        review("compare b.py: cuda-extension (1 of 2)", "review", "manual");
        on(port.review()::skip);
        said("open c.py:2");
        on(port.review()::skip);
        said("Nothing is left to review.");
    }

    @Test
    void filterHidesWhatIsNotChosen() throws Exception {
        on(() -> port.toggle(port.choices().keySet().iterator().next()));
        refreshed("3 left · shown: To review, By hand, Accepted");
        on(() -> port.toggle(port.choices().keySet().iterator().next()));
        refreshed("3 left");
    }

    /** Run the command that the action in a folder's menu sends. */
    @Test
    void folderIsFixedAlone() throws Exception {
        Path below = Files.createDirectory(project.resolve("below"));
        Path file = Files.writeString(below.resolve("d.py"), SAFE);
        session.await(session.begin(Commands.FIX_ALL_HERE, Session.uri(below)));
        assertEquals(FIXED, Files.readString(file));
        assertEquals(SAFE, Files.readString(safe));
    }

    @Test
    void targetIsKeptWhereTheCommandLineFindsIt() throws Exception {
        on(port::keepTarget);
        on(() -> { }); // wait for the request
        on(() -> { }); // wait for the reply
        assertEquals("target = \"npu\"\n", Files.readString(project.resolve("uncuda.toml")));
    }

    @Test
    void closedNotebookIsFixedWithTheProject() throws Exception {
        Path notebook = Files.writeString(project.resolve("n.ipynb"), NOTEBOOK);
        session.await(session.begin(Commands.FIX_ALL_IN_PROJECT, ""));
        assertTrue(Files.readString(notebook).contains("torch.npu.device_count()"), session.client.messages.toString());
    }

    @Test
    void classIsFixedAsAWhole() throws Exception {
        Node node = new Server().overview(Map.of()).nodes().get(0);
        assertEquals("Safe", node.label());
        on(() -> port.review().act(node, node.action(Action.FIX)));
        assertEquals(FIXED, Files.readString(safe));
    }

    /** The comparison contains unsaved text, and shows a notebook as the text of its cells. */
    @Test
    void groupIsComparedAsAWhole() throws Exception {
        Path notebook = Files.writeString(project.resolve("n.ipynb"), NOTEBOOK);
        session.server.getWorkspaceService().didChangeWatchedFiles(new DidChangeWatchedFilesParams(
                List.of(new FileEvent(Session.uri(notebook), FileChangeType.Created))));
        session.open(safe);
        session.type(safe, "# more\n");
        Screen.until(() -> new Server().changes(Map.of("rules", List.of("cuda-api"))).files().size() == 2, () -> text);
        Node safes = new Server().overview(Map.of()).nodes().get(0);
        Node rule = new Server().overview(Map.of("parent", safes.id())).nodes().get(0);
        on(() -> port.review().act(rule, rule.action(Action.PREVIEW)));
        said("2 files");
        assertEquals(FIXED + "# more\n", compared.get(0).fixed());
        assertEquals(null, compared.get(0).before());
        assertEquals("import torch\nn = torch.cuda.device_count()", compared.get(1).before());
        assertTrue(compared.get(1).fixed().contains("n = torch.npu.device_count()"), compared.get(1).fixed());
        assertEquals(List.of(), session.client.asked);
        on(() -> port.review().act(safes, safes.action(Action.PREVIEW)));
        said("uncuda.patch"); // the preview of a node that is no rule is shown as one diff
    }

    /** The server asks the IDE to open the file of the report, and the page of a rule in the user's language. */
    @Test
    void reportAndRuleAreFilesThatTheIdeOpens() throws Exception {
        on(() -> port.execute(Commands.REPORT));
        assertTrue(shown(0).toString().endsWith("uncuda-report.html"));
        assertTrue(Files.readString(shown(0)).contains("cuda-extension"));
        review("compare a.py: cuda-api (1 of 1)", "safe");
        on(() -> port.review().act("why"));
        String page = Files.readString(shown(1));
        assertTrue(page.contains("torch.npu.set_device") && !page.contains("{module}"), page);
    }

    private Path shown(int index) {
        return Path.of(URI.create(session.client.shown.get(index)));
    }
}
