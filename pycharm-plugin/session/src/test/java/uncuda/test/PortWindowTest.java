package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.intellij.diff.util.DiffUserDataKeys;
import com.intellij.diff.util.Side;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.CommonDataKeys;
import com.intellij.openapi.actionSystem.DataKey;
import com.intellij.openapi.components.PersistentStateComponent;
import com.intellij.openapi.editor.CaretModel;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.editor.impl.DocumentImpl;
import com.intellij.openapi.util.Pair;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerDescriptor;
import com.intellij.platform.lsp.api.LspServerManager;
import com.intellij.platform.lsp.api.LspServerSupportProvider;
import java.awt.Component;
import java.awt.Rectangle;
import java.awt.event.ActionEvent;
import java.awt.event.KeyEvent;
import java.awt.event.MouseEvent;
import java.awt.event.MouseListener;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import javax.swing.JMenuItem;
import javax.swing.JPopupMenu;
import javax.swing.JTextArea;
import javax.swing.JTree;
import javax.swing.KeyStroke;
import javax.swing.event.PopupMenuEvent;
import javax.swing.event.PopupMenuListener;
import org.eclipse.lsp4j.InitializeResult;
import org.eclipse.lsp4j.ServerCapabilities;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import uncuda.core.Commands;

/** Tests of the tool window, from plugin.xml to the real server, without a screen: its content, not its layout. */
@Timeout(120)
class PortWindowTest {
    private static final String SAFE = PortFiles.SAFE;

    @TempDir
    Path folder;
    private Path project;
    private Path safe;
    private MiniPlatform ide;
    private Screen screen;
    private LspServerDescriptor descriptor;
    private Session session;
    private List<LspServer> running = List.of();
    private JTree tree;
    private Map<DataKey<?>, ?> inEditor = Map.of();

    @BeforeEach
    void start() throws Exception {
        project = PortFiles.write(folder);
        safe = project.resolve("a.py");
        ide = PortFiles.open(project);
        ide.project.registerService(LspServerManager.class, new LspServerManager() {
            @Override
            public Collection<LspServer> getServersForProvider(Class<? extends LspServerSupportProvider> provider) {
                return running;
            }

            @Override
            public void stopAndRestartIfNeeded(Class<? extends LspServerSupportProvider> provider) {
                throw new AssertionError("nobody asked for it");
            }
        });
        screen = new Screen(ide);
        Screen.on(() -> {
            screen.activate(() -> { });
            tree = (JTree) screen.focused();
            return tree;
        });
    }

    @AfterEach
    void stop() throws Exception {
        Screen.on(() -> {
            screen.close();
            return null;
        });
        if (session != null) {
            session.close();
        }
        ide.close();
    }

    private void connect() throws Exception {
        descriptor = ide.open(safe).get(0);
        session = new Session(descriptor, project, folder.resolve("errors.txt"));
        running = List.of(session.inIde());
    }

    private void until(Callable<Boolean> holds) throws Exception {
        Screen.until(holds, () -> text() + rows());
    }

    private String text() {
        return SettingsPageTest.all(JTextArea.class, screen.getContents()[0].getComponent()).get(0).getText();
    }

    /** The texts that the renderer draws for the rows; screen readers read the same. */
    private List<String> rows() {
        return IntStream.range(0, tree.getRowCount()).mapToObj(row -> drawn(row).toString()).toList();
    }

    private Component drawn(int row) {
        return tree.getCellRenderer().getTreeCellRendererComponent(tree,
                tree.getPathForRow(row).getLastPathComponent(), false, false, false, row, false);
    }

    /** Expand the rows whose texts begin with {@code starts}, one after the other, as soon as each is loaded. */
    private void expand(String... starts) throws Exception {
        int row = 0;
        for (String start : starts) {
            int from = row;
            until(() -> find(from, start) >= 0);
            row = Screen.on(() -> find(from, start));
            int at = row++;
            Screen.on(() -> {
                tree.expandRow(at);
                return null;
            });
        }
    }

    private int find(int from, String start) {
        List<String> rows = rows();
        return IntStream.range(Math.min(from, rows.size()), rows.size()).filter(i -> rows.get(i).startsWith(start))
                .findFirst().orElse(-1);
    }

    private void select(String start) throws Exception {
        until(() -> find(0, start) >= 0);
        Screen.on(() -> {
            tree.setSelectionRow(find(0, start));
            return null;
        });
    }

    /** Press a key in the tree. */
    private void press(int key, int modifiers) throws Exception {
        Screen.on(() -> {
            Object name = tree.getInputMap().get(KeyStroke.getKeyStroke(key, modifiers));
            tree.getActionMap().get(name).actionPerformed(new ActionEvent(tree, 0, ""));
            return null;
        });
    }

    /** The items in the menu of the selected row. */
    private List<JMenuItem> menu() throws Exception {
        return Screen.on(() -> {
            JPopupMenu menu = tree.getComponentPopupMenu();
            for (PopupMenuListener listener : menu.getPopupMenuListeners()) {
                listener.popupMenuWillBecomeVisible(new PopupMenuEvent(menu));
            }
            List<JMenuItem> items = new ArrayList<>();
            for (Component one : menu.getComponents()) {
                items.add((JMenuItem) one);
            }
            return items;
        });
    }

    private static AnAction action(String name) throws Exception {
        return (AnAction) Class.forName("uncuda.ide.PortActions$" + name).getConstructor().newInstance();
    }

    private void act(String name) throws Exception {
        AnAction action = action(name);
        Screen.on(() -> {
            action.actionPerformed(ide.answers.event(ide.project, inEditor));
            return null;
        });
    }

    private boolean isEnabled(String name) throws Exception {
        return ide.answers.isEnabled(action(name), ide.project, inEditor);
    }

    /** Create an editor of a file, with the caret in the last line. */
    private void edit(Path file) throws Exception {
        Document document = new DocumentImpl(Files.readString(file).strip());
        Editor editor = new Editor() {
            @Override
            public Document getDocument() {
                return document;
            }

            @Override
            public CaretModel getCaretModel() {
                return document::getTextLength;
            }
        };
        inEditor = Map.of(CommonDataKeys.EDITOR, editor, CommonDataKeys.VIRTUAL_FILE, ide.file(file));
    }

    @Test
    void rowsAreThoseOfTheServerEachWhenItIsExpanded() throws Exception {
        connect();
        expand("Safe", "cuda-api", "a.py");
        until(() -> text().equals("3 left") && rows().equals(List.of("Safe  1 in 1 file", "cuda-api  1 in 1 file",
                "a.py  1", "'torch.cuda.device_count' is CUDA's; Ascend NPU has 'torch.npu.device_count'  line 3",
                "To review  1 in 1 file", "By hand  1 in 1 file")));
        assertEquals("Port", screen.title);
        assertEquals("Findings of the project", tree.getAccessibleContext().getAccessibleName());
        assertTrue(screen.buttons.containsAll(List.of("uncuda.Review", "uncuda.PortFilter", "uncuda.Report")));
    }

    @Test
    void whatIsTypedIsSeenAndNothingElseMoves() throws Exception {
        connect();
        session.open(safe);
        expand("Safe", "cuda-api", "a.py");
        select("By hand");
        session.type(safe, "m = torch.cuda.current_device()\n");
        until(() -> text().equals("4 left") && find(0, "'torch.cuda.current_device'") == 4);
        assertEquals(find(0, "By hand"), (int) Screen.on(() -> tree.getLeadSelectionRow()));
        session.type(safe, "import flash_attn\n");
        until(() -> text().equals("5 left"));
    }

    @Test
    void selectionGoesToTheNextRowWhereItsOwnIsGone() throws Exception {
        connect();
        session.open(safe);
        expand("Safe", "cuda-api", "a.py");
        select("'torch.cuda.device_count'");
        int row = Screen.on(() -> tree.getLeadSelectionRow());
        session.replace(safe, "import torch\n\nn = torch.cuda.current_device()\nm = torch.cuda.synchronize()\n");
        until(() -> find(0, "'torch.cuda.device_count'") < 0 && find(0, "'torch.cuda.current_device'") >= 0);
        assertEquals(row, (int) Screen.on(() -> tree.getSelectionRows()[0]));
    }

    @Test
    void menuHoldsWhatTheServerOffers() throws Exception {
        connect();
        expand("Safe", "cuda-api", "a.py");
        select("'torch");
        assertEquals(
                List.of("Fix", "Preview the fix", "Accept with a reason", "Suppress by a comment, with a reason",
                        "Why: 'cuda-api'"),
                menu().stream().map(JMenuItem::getText).toList());
        select("By hand");
        assertEquals(List.of(), menu());
    }

    /** The opened position counts a tab as one character, although a column of the IDE counts it as several. */
    @Test
    void enterAndADoubleClickOpenAFinding() throws Exception {
        Files.writeString(safe, "import torch\nif torch:\n\t\tn = torch.cuda.device_count()\n");
        connect();
        expand("Safe", "cuda-api", "a.py");
        select("'torch");
        press(KeyEvent.VK_ENTER, 0);
        Answers.Opened expected = new Answers.Opened("a.py", Files.readString(safe).indexOf("torch.cuda"));
        assertEquals(expected, ide.answers.opened());
        Screen.on(() -> {
            tree.setRowHeight(16);
            tree.setSize(tree.getPreferredSize());
            Rectangle place = tree.getRowBounds(tree.getLeadSelectionRow());
            MouseEvent twice = new MouseEvent(tree, MouseEvent.MOUSE_CLICKED, 0, 0, place.x + 1, place.y + 1, 2, false);
            for (MouseListener listener : tree.getMouseListeners()) {
                listener.mouseClicked(twice);
            }
            return null;
        });
        assertEquals(expected, ide.answers.opened());
        select("a.py");
        press(KeyEvent.VK_ENTER, 0);
        assertEquals(null, ide.answers.opened());
    }

    @Test
    void previewStandsBesideTheFile() throws Exception {
        connect();
        expand("Safe", "cuda-api", "a.py");
        select("'torch");
        JMenuItem preview = menu().get(1);
        Screen.on(() -> {
            preview.doClick();
            return null;
        });
        until(() -> screen.compared.size() == 1);
        assertEquals(new Screen.Compared(SAFE.replace("torch\n", "torch\nimport torch_npu\n").replace(".cuda", ".npu")),
                screen.compared.get(0).fixed());
        assertEquals(List.of("a.py", "a.py: fixed"), screen.compared.get(0).titles());
        assertEquals(Pair.create(Side.LEFT, 2), screen.compared.get(0).data().get(DiffUserDataKeys.SCROLL_TO_LINE));
    }

    /** The preview of a rule shows all its files in the IDE's window for several diffs. */
    @Test
    void previewOfAGroupShowsAllItsFiles() throws Exception {
        Files.writeString(project.resolve("d.py"), SAFE);
        connect();
        until(() -> text().equals("4 left"));
        expand("Safe");
        select("cuda-api");
        JMenuItem preview = menu().stream().filter(item -> item.getText().equals("Preview fixes")).findFirst().orElseThrow();
        Screen.on(() -> {
            preview.doClick();
            return null;
        });
        until(() -> screen.compared.size() == 2);
        assertEquals(List.of("a.py", "a.py: fixed"), screen.compared.get(0).titles());
        assertEquals(List.of("d.py", "d.py: fixed"), screen.compared.get(1).titles());
        assertEquals("cuda-api: 2 findings", screen.compared.get(0).title());
    }

    @Test
    void reviewShowsTheFindingWithItsActionsAndKeepsItsPlace() throws Exception {
        connect();
        until(() -> text().equals("3 left"));
        assertTrue(isEnabled("Next") && !isEnabled("Fix") && !isEnabled("Skip"));
        act("Review");
        until(() -> screen.compared.size() == 1);
        assertTrue(isEnabled("Fix") && isEnabled("Skip"));
        assertEquals("b.py: cuda-extension (1 of 2)", screen.compared.get(0).title());
        assertEquals(List.of("uncuda.ReviewPrevious", "uncuda.ReviewNext", "uncuda.ReviewFix", "uncuda.ReviewAccept",
                "uncuda.ReviewSkip").toString(), screen.compared.get(0).data().get(DiffUserDataKeys.CONTEXT_ACTIONS).toString());
        Object memory = ((PersistentStateComponent<?>) ide.project.getService(Class.forName("uncuda.ide.ProjectPort")))
                .getState();
        assertTrue(memory.getClass().getField("reviewed").get(memory).toString().contains("b.py#"));
    }

    /** While the files are still being checked, the review says so, and goes on when it finds something. */
    @Test
    void reviewWaitsForWhatIsFound() throws Exception {
        connect();
        act("Review");
        until(() -> screen.compared.size() == 1 || ide.answers.opened() != null); // the first that is found
        assertTrue(ide.answers.balloons().stream().allMatch(one -> one.content().startsWith("The files are still being checked;")));
    }

    /** The user presses the message's first button, Review. */
    @Test
    void buttonOfTheServersMessageOpensTheReview() throws Exception {
        connect();
        until(() -> text().equals("3 left"));
        session.begin(Commands.FIX_ALL_IN_PROJECT, "");
        until(() -> screen.compared.size() == 1);
        assertEquals("b.py: cuda-extension (1 of 2)", screen.compared.get(0).title());
        assertTrue(session.client.messages.get(0).startsWith("Fixed 1 finding"), session.client.messages.toString());
    }

    @Test
    void caretFindsItsRow() throws Exception {
        assertEquals(false, isEnabled("Reveal"));
        connect();
        until(() -> text().equals("3 left"));
        edit(safe);
        assertTrue(isEnabled("Reveal"));
        act("Reveal");
        until(() -> tree.getLeadSelectionRow() == 3 && find(0, "'torch.cuda.device_count'") == 3);
    }

    @Test
    void pagesAreAskedForOneByOne() throws Exception {
        Files.writeString(safe, "import torch\n\n" + "torch.cuda.synchronize()\n".repeat(1200));
        connect();
        expand("Safe", "cuda-api", "a.py");
        until(() -> tree.getRowCount() > 500);
        int rows = Screen.on(() -> tree.getRowCount());
        assertEquals("…", Screen.on(() -> rows().get(find(0, "To review") - 1)));
        Screen.on(() -> {
            tree.setSelectionRow(find(0, "To review") - 1);
            return null;
        });
        press(KeyEvent.VK_ENTER, 0);
        until(() -> tree.getRowCount() == rows + 500);
    }

    @Test
    void groupsAndEnterExpand() throws Exception {
        connect();
        expand("Safe");
        until(() -> find(0, "cuda-api") == 1);
        act("Group");
        until(() -> find(0, "(this folder)") == 1);
        select("(this folder)");
        press(KeyEvent.VK_ENTER, 0);
        until(() -> find(0, "a.py") == 2);
        press(KeyEvent.VK_ENTER, 0);
        assertEquals(-1, (int) Screen.on(() -> find(0, "a.py")));
    }

    @Test
    void withoutAServerTheWindowSaysWhatToDo() throws Exception {
        assertEquals("The language server does not run: open a Python file of the project.", Screen.on(this::text));
        connect();
        until(() -> text().equals("3 left"));
        descriptor.getLspServerListener().serverStopped(true);
        until(() -> rows().isEmpty() && text().startsWith("The language server does not run"));
    }

    @Test
    void olderServerIsToBeUpdatedAndIsNotAsked() throws Exception {
        LspServerDescriptor old = ide.open(safe).get(0);
        old.getLspServerListener().serverInitialized(new InitializeResult(new ServerCapabilities()));
        until(() -> text().startsWith("The uncuda that runs is older than this plugin"));
        act("Review");
        assertEquals("The uncuda that runs is older than this plugin and has no overview: update it.",
                ide.answers.balloons().get(0).content());
        connect();
        until(() -> text().equals("3 left"));
        old.getLspServerListener().serverStopped(true); // this notification comes after the new server has started
        assertEquals("3 left", Screen.on(this::text));
    }

    @Test
    void closedWindowIsForgotten() throws Exception {
        connect();
        until(() -> text().equals("3 left"));
        JTree gone = tree;
        Screen.on(() -> {
            screen.close();
            return null;
        });
        session.open(safe);
        session.type(safe, "import flash_attn\n");
        Screen.on(() -> {
            screen.activate(() -> { });
            tree = (JTree) screen.focused();
            return null;
        });
        until(() -> text().equals("4 left"));
        assertEquals("By hand  1 in 1 file", Screen.on(() -> gone.getCellRenderer().getTreeCellRendererComponent(gone,
                gone.getPathForRow(2).getLastPathComponent(), false, false, true, 2, false).toString()));
    }
}
