package uncuda.ide;

import com.intellij.diff.DiffContentFactory;
import com.intellij.diff.DiffDialogHints;
import com.intellij.diff.DiffManager;
import com.intellij.diff.chains.SimpleDiffRequestChain;
import com.intellij.diff.contents.DiffContent;
import com.intellij.diff.requests.SimpleDiffRequest;
import com.intellij.diff.util.DiffUserDataKeys;
import com.intellij.diff.util.Side;
import com.intellij.notification.NotificationAction;
import com.intellij.notification.NotificationType;
import com.intellij.openapi.actionSystem.ActionManager;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.fileEditor.OpenFileDescriptor;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.ui.Messages;
import com.intellij.openapi.util.Pair;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.openapi.vfs.VirtualFileManager;
import com.intellij.testFramework.LightVirtualFile;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import uncuda.core.Overview;
import uncuda.core.Overview.Compared;
import uncuda.core.Overview.Node;
import uncuda.core.Port;

/** Shows the balloons, editors and dialogs of a project. Balloons and texts may be shown from any thread. */
record IdeScreen(Project project) implements Port.Ide {
    /** The actions in the toolbar of the diff viewer. */
    private static final List<String> REVIEW = List.of("uncuda.ReviewPrevious", "uncuda.ReviewNext", "uncuda.ReviewFix",
            "uncuda.ReviewAccept", "uncuda.ReviewSkip");

    @Override
    public void tell(String text) {
        Balloons.create("uncuda", text, NotificationType.INFORMATION).notify(project);
    }

    @Override
    public void offer(String title, String text, String action, Runnable run) {
        Balloons.create(title, text, NotificationType.WARNING)
                .addAction(NotificationAction.createSimple(action, run)).notify(project);
    }

    /** The text belongs to no file on the disk, so it is read-only. */
    @Override
    public void open(String name, String text) {
        LightVirtualFile file = new LightVirtualFile(name, text);
        file.setWritable(false);
        ApplicationManager.getApplication().invokeLater(
                () -> FileEditorManager.getInstance(project).openFile(file, true), project.getDisposed());
    }

    @Override
    public void open(Node node) {
        VirtualFile file = file(node.uri());
        if (file != null) {
            new OpenFileDescriptor(project, file, offset(file, node.range())).navigate(true);
        }
    }

    private VirtualFile file(String uri) {
        VirtualFile file;
        try {
            file = VirtualFileManager.getInstance().findFileByNioPath(Path.of(URI.create(uri)));
        } catch (IllegalArgumentException | FileSystemNotFoundException e) {
            file = null; // the path is not on this machine
        }
        if (file == null) {
            tell(UncudaSettings.of(project).messages().get("port.no-file", uri));
        }
        return file;
    }

    /**
     * The offset of a range's start. The offset is computed from the line, because the IDE's columns count a tab as
     * several characters, and the server's do not.
     */
    private static int offset(VirtualFile file, Overview.Range range) {
        Document document = FileDocumentManager.getInstance().getDocument(file);
        if (document == null || range == null || range.start().line() >= document.getLineCount()) {
            return 0;
        }
        Overview.Position start = range.start();
        return Math.min(document.getLineStartOffset(start.line()) + start.character(),
                document.getLineEndOffset(start.line()));
    }

    @Override
    public void compare(Compared finding) {
        SimpleDiffRequest request = request(finding);
        if (request != null) {
            request.putUserData(DiffUserDataKeys.SCROLL_TO_LINE, Pair.create(Side.LEFT, finding.line()));
            request.putUserData(DiffUserDataKeys.CONTEXT_ACTIONS,
                    REVIEW.stream().map(ActionManager.getInstance()::getAction).toList());
            PortWindow.with(project, panel -> panel.compare(request));
        }
    }

    @Override
    public void compare(List<Compared> files) {
        List<SimpleDiffRequest> requests = files.stream().map(this::request).filter(Objects::nonNull).toList();
        if (!requests.isEmpty()) {
            DiffManager.getInstance().showDiff(project, new SimpleDiffRequestChain(requests), DiffDialogHints.FRAME);
        }
    }

    /** The request for the diff viewer; null if the file does not exist. */
    private SimpleDiffRequest request(Compared one) {
        VirtualFile file = file(one.uri());
        if (file == null) {
            return null;
        }
        DiffContentFactory contents = DiffContentFactory.getInstance();
        DiffContent before = one.before() == null ? contents.create(project, file) : contents.create(project, one.before(), file);
        return new SimpleDiffRequest(one.label(), before, contents.create(project, one.fixed(), file), file.getName(), one.title());
    }

    @Override
    public String ask(String title, String question) {
        return Messages.showInputDialog(project, question, title, null);
    }

    @Override
    public void run(boolean savesFirst, Supplier<Object> work, Consumer<Object> then) {
        Background.run(project, savesFirst, work, then);
    }
}
