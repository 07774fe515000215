package uncuda.ide;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.CommonDataKeys;
import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import java.util.function.Consumer;
import uncuda.core.Commands;
import uncuda.core.Overview;
import uncuda.core.Port;

/** The actions of the Port tool window and of the review, which plugin.xml registers. */
public final class PortActions {
    private PortActions() {
    }

    private abstract static class Of extends AnAction implements DumbAware {
        private final transient Consumer<Project> does;

        Of(Consumer<Project> does) {
            this.does = does;
        }

        @Override
        public ActionUpdateThread getActionUpdateThread() {
            return ActionUpdateThread.BGT;
        }

        @Override
        public void update(AnActionEvent e) {
            e.getPresentation().setEnabled(e.getProject() != null);
        }

        @Override
        public void actionPerformed(AnActionEvent e) {
            if (e.getProject() != null) {
                does.accept(e.getProject());
            }
        }
    }

    private static Consumer<Project> port(Consumer<Port> does) {
        return project -> does.accept(ProjectPort.of(project));
    }

    /**
     * An action on the reviewed finding. {@code needed}: the name of the server's action that the finding must have; ""
     * for none.
     */
    private abstract static class OfReviewed extends Of {
        private final String needed;

        OfReviewed(String needed, Consumer<Port> does) {
            super(port(does));
            this.needed = needed;
        }

        @Override
        public void update(AnActionEvent e) {
            Overview.Node node = e.getProject() == null ? null : ProjectPort.of(e.getProject()).review().reviewed();
            e.getPresentation().setEnabled(node != null && (needed.isEmpty() || node.action(needed) != null));
        }
    }

    public static final class Review extends Of {
        public Review() {
            super(port(port -> port.review().go(0)));
        }
    }

    public static final class Next extends Of {
        public Next() {
            super(port(port -> port.review().go(1)));
        }
    }

    public static final class Previous extends Of {
        public Previous() {
            super(port(port -> port.review().go(-1)));
        }
    }

    public static final class Fix extends OfReviewed {
        public Fix() {
            super(Overview.Action.FIX, port -> port.review().act(Overview.Action.FIX));
        }
    }

    public static final class Accept extends OfReviewed {
        public Accept() {
            super(Overview.Action.ACCEPT, port -> port.review().act(Overview.Action.ACCEPT));
        }
    }

    public static final class Skip extends OfReviewed {
        public Skip() {
            super("", port -> port.review().skip());
        }
    }

    public static final class Filter extends Of {
        public Filter() {
            super(project -> PortWindow.with(project, PortPanel::chooseFilter));
        }
    }

    public static final class Group extends Of {
        public Group() {
            super(port(Port::regroup));
        }
    }

    /** Selects the finding at the caret; shown only in editors of Python files. */
    public static final class Reveal extends Of {
        public Reveal() {
            super(project -> { });
        }

        @Override
        public void update(AnActionEvent e) {
            VirtualFile file = e.getData(CommonDataKeys.VIRTUAL_FILE);
            e.getPresentation().setEnabledAndVisible(e.getProject() != null && e.getData(CommonDataKeys.EDITOR) != null
                    && file != null && UncudaLspDescriptor.isPython(file));
        }

        @Override
        public void actionPerformed(AnActionEvent e) {
            Editor editor = e.getData(CommonDataKeys.EDITOR);
            VirtualFile file = e.getData(CommonDataKeys.VIRTUAL_FILE);
            if (e.getProject() == null || editor == null || file == null) {
                return;
            }
            int line = editor.getDocument().getLineNumber(editor.getCaretModel().getOffset());
            PortWindow.with(e.getProject(), panel ->
                    ProjectPort.of(e.getProject()).reveal(file.toNioPath().toUri().toString(), line));
        }
    }

    public static final class Report extends Of {
        public Report() {
            super(port(port -> port.execute(Commands.REPORT)));
        }
    }

    public static final class KeepTarget extends Of {
        public KeepTarget() {
            super(port(Port::keepTarget));
        }
    }

    public static final class Scan extends Of {
        public Scan() {
            super(port(port -> port.execute(Commands.SCAN)));
        }
    }
}
