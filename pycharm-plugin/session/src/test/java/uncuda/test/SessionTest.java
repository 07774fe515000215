package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.intellij.platform.lsp.api.LspServerDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.lsp4j.CodeAction;
import org.eclipse.lsp4j.Diagnostic;
import org.eclipse.lsp4j.WorkDoneProgressCancelParams;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import uncuda.core.Commands;
import uncuda.core.Messages;
import uncuda.core.Report;

/**
 * Tests of plugin.xml, the provider, the descriptor and the command line in a session with the real server that is like
 * PyCharm's.
 */
@Timeout(180)
class SessionTest {
    private static final String BEFORE = "import torch\n\ns = \"中文😀\"; n = torch.cuda.device_count()\n";
    private static final String AFTER = BEFORE.replace("torch\n", "torch\nimport torch_npu\n").replace(".cuda", ".npu");
    /**
     * CHUNK: the number of files in one edit that the server sends to a JetBrains IDE; FILES: more than two such edits.
     */
    private static final int CHUNK = 25, FILES = 60;

    @TempDir
    Path folder;
    private Path project;
    private MiniPlatform ide;
    private Path program;
    private LspServerDescriptor descriptor;
    private Session session;

    @BeforeEach
    void start() throws Exception {
        project = Files.createDirectory(folder.toRealPath().resolve("project"));
        program = Files.writeString(project.resolve("a.py"), BEFORE);
        ide = new MiniPlatform(MiniPlatform.JAR, project);
        Settings.set(ide.project, "interpreter", System.getProperty("test.python"));
        Settings.set(ide.project, "target", "npu");
        Settings.set(ide.project, "locale", "en");
        connect();
    }

    private void connect() throws Exception {
        descriptor = ide.open(program).get(0);
        session = new Session(descriptor, project, folder.resolve("errors.txt"));
    }

    @AfterEach
    void stop() {
        session.close();
        ide.close();
    }

    private List<Path> more() throws Exception {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(Files.writeString(project.resolve("m%02d.py".formatted(i)), BEFORE));
        }
        return files;
    }

    /** The tests run with two versions of lsp4j, which differ for the plugin only in the type of this message. */
    @Test
    void languageClientLibraryIsTheOneMeant() throws Exception {
        assertEquals(System.getProperty("test.message"),
                Diagnostic.class.getMethod("getMessage").getReturnType().getSimpleName());
    }

    @Test
    void findingIsFixedAsTheCaretStands() throws Exception {
        session.open(program);
        List<Diagnostic> found = session.diagnostics(program);
        assertEquals(List.of("cuda-api"), found.stream().map(one -> one.getCode().getLeft()).toList());
        assertEquals(BEFORE.split("\n")[2].indexOf("torch"), found.get(0).getRange().getStart().getCharacter());
        CodeAction fix = session.resolved(session.quickFixes(program, found.get(0)).get(0));
        assertTrue(session.client.apply(fix.getEdit()));
        assertEquals(AFTER, session.client.open.get(program).text());
        assertEquals(0, session.shutDown());
    }

    @Test
    void fixAllInFileIsAnIntention() throws Exception {
        session.open(program);
        Diagnostic found = session.diagnostics(program).get(0);
        CodeAction all = session.intentions(program, found.getRange()).stream()
                .filter(action -> action.getKind().equals("source.fixAll.uncuda")).findFirst().orElseThrow();
        assertNull(all.getEdit());
        assertTrue(session.client.apply(session.resolved(all).getEdit()));
        assertEquals(AFTER, session.client.open.get(program).text());
    }

    @Test
    void fixAllInFileIsACommand() throws Exception {
        session.open(program);
        Path other = more().get(0);
        Report report = Report.of(session.await(session.begin(Commands.FIX_ALL_IN_FILE, Session.uri(program))));
        assertEquals(1, report.files());
        assertEquals(AFTER, session.client.open.get(program).text());
        assertEquals(BEFORE, Files.readString(other));
    }

    @Test
    void fixOnSaveSaysNothing() throws Exception {
        session.open(program);
        for (int files = 1; files >= 0; files--) {
            Report report = Report.of(session.await(session.begin(Commands.FIX_ON_SAVE, Session.uri(program))));
            assertEquals(files, report.files());
            session.type(program, ""); // the IDE sends the changed text to the server
        }
        assertEquals(AFTER, session.client.open.get(program).text());
        assertEquals(List.of("edit"), session.client.events);
        assertEquals(List.of(), session.client.messages);
    }

    @Test
    void fixAllInProjectComesInParts() throws Exception {
        session.open(program);
        List<Path> files = more();
        Report report = session.run(Commands.FIX_ALL_IN_PROJECT);
        assertEquals(FILES + 1, report.files());
        assertEquals(List.of(), report.skipped());
        assertEquals(3, session.client.asked.size());
        session.client.asked.forEach(part -> assertTrue(part.size() <= CHUNK));
        for (Path file : files) {
            assertEquals(AFTER, Files.readString(file));
        }
        assertEquals(AFTER, session.client.open.get(program).text());
        assertEquals(List.of("begin", "edit", "edit", "edit", "end"), session.client.events);
    }

    @Test
    void previewIsADiffAndChangesNothing() throws Exception {
        Report report = session.run(Commands.PREVIEW_FIX_ALL_IN_PROJECT);
        assertTrue(report.diff().contains("+s = \"中文😀\"; n = torch.npu.device_count()"), report.diff());
        assertEquals(List.of(), session.client.asked);
        assertEquals(BEFORE, Files.readString(program));
    }

    @Test
    void excludedFileCostsItselfOnly() throws Exception {
        List<Path> files = more();
        Path excluded = Files.createDirectory(project.resolve("generated"));
        Path left = Files.writeString(excluded.resolve("g.py"), BEFORE);
        session.client.excluded = excluded;
        Report report = session.run(Commands.FIX_ALL_IN_PROJECT);
        assertEquals(FILES + 1, report.files());
        assertEquals(List.of(left.toString()), report.skipped().stream().map(Report.Skipped::file).toList());
        assertEquals(BEFORE, Files.readString(left));
        assertEquals(AFTER, Files.readString(files.get(0)));
    }

    @Test
    void fileThatIsGoneCostsItselfOnly() throws Exception {
        List<Path> files = more();
        Path gone = files.get(FILES - 1);
        session.client.meanwhile = () -> assertTrue(!Files.exists(gone) || gone.toFile().delete());
        Report report = session.run(Commands.FIX_ALL_IN_PROJECT);
        assertEquals(FILES, report.files());
        assertEquals(List.of(gone.toString()), report.skipped().stream().map(Report.Skipped::file).toList());
        assertFalse(Files.exists(gone));
    }

    @Test
    void fileThatIsTypedInIsLeftAndNamed() throws Exception {
        session.open(program);
        Path other = more().get(0);
        session.client.meanwhile = () -> session.type(program, "# more\n");
        Report report = session.run(Commands.FIX_ALL_IN_PROJECT);
        assertEquals(FILES, report.files());
        assertEquals(List.of(program.toString()), report.skipped().stream().map(Report.Skipped::file).toList());
        assertTrue(session.client.open.get(program).text().startsWith(BEFORE));
        assertEquals(AFTER, Files.readString(other));
    }

    @Test
    void cancelEndsAfterThePartOnItsWay() throws Exception {
        List<Path> files = more();
        session.client.meanwhile = () -> session.server.cancelProgress(
                new WorkDoneProgressCancelParams(session.client.progress.join()));
        Report report = session.run(Commands.FIX_ALL_IN_PROJECT);
        assertEquals(1, session.client.asked.size());
        assertEquals(CHUNK, report.files());
        assertEquals(FILES + 1 - CHUNK, report.skipped().size());
        assertEquals("end", session.client.events.get(session.client.events.size() - 1));
        String text = report.ofSkipped(new Messages(Locale.ENGLISH), false);
        assertTrue(text.startsWith("Fixed 50 places in 25 files; left out 36 files. Left: "), text);
        assertTrue(text.contains(files.get(FILES - 1) + ": cancelled\n"), text);
        assertEquals(BEFORE, Files.readString(files.get(FILES - 1)));
    }

    @Test
    void requestThatIsTakenBackEndsLikewise() throws Exception {
        List<Path> files = more();
        CompletableFuture<CompletableFuture<Object>> begun = new CompletableFuture<>();
        session.client.meanwhile = () -> begun.join().cancel(true);
        begun.complete(session.begin(Commands.FIX_ALL_IN_PROJECT, ""));
        // the request is cancelled by the client or by the server's reply, whichever comes first
        assertThrows(Exception.class, () -> begun.get().get(30, TimeUnit.SECONDS));
        assertTrue(begun.get().isDone());
        session.client.finishEdits();
        // the server runs this command after the cancelled one has ended
        Report left = session.run(Commands.PREVIEW_FIX_ALL_IN_PROJECT);
        assertEquals(1, session.client.asked.size());
        assertTrue(session.client.messages.get(0).startsWith("Cancelled."), session.client.messages.toString());
        assertEquals(FILES + 1 - CHUNK, left.files());
        assertEquals(BEFORE, Files.readString(files.get(FILES - 1)));
    }

    @Test
    void serverOfTheEnvironmentIsTheSame() throws Exception {
        session.close();
        Settings.set(ide.project, "importStrategy", "fromEnvironment");
        Files.writeString(program.resolveSibling("contextlib.py"), "raise SystemExit('a module of the project was run')\n");
        connect();
        session.open(program);
        assertEquals(1, session.diagnostics(program).size());
        assertEquals(List.of("-m", "uncuda", "server", "--stdio"),
                descriptor.createCommandLine().toProcessBuilder().command().subList(1, 5));
        assertEquals(0, session.shutDown());
    }

    @Test
    void crashIsToldAndARestartWorks() throws Exception {
        session.open(program);
        CompletableFuture<Integer> exit = session.process.onExit().thenApply(Process::exitValue);
        session.process.destroyForcibly();
        boolean normally = exit.get(30, TimeUnit.SECONDS) == 0;
        assertFalse(normally);
        descriptor.getLspServerListener().serverStopped(normally);
        assertEquals(List.of("Restart", "Open settings", "ShowLog"), ide.answers.balloons().get(0).actions());
        connect();
        session.open(program);
        assertEquals(1, session.diagnostics(program).size());
        assertEquals(0, session.shutDown());
    }
}
