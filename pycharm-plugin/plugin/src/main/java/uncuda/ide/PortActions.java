package uncuda.ide;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import java.util.function.Consumer;
import uncuda.core.Commands;
import uncuda.core.Overview;
import uncuda.core.Port;

/** The actions of the port and of its review; plugin.xml names them. */
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

    /** One that needs a finding that is reviewed and, where it is named, what it offers. */
    private abstract static class OfReviewed extends Of {
        private final String needed;

        OfReviewed(String needed, Consumer<Port> does) {
            super(port(does));
            this.needed = needed;
        }

        @Override
        public void update(AnActionEvent e) {
            Overview.Node node = e.getProject() == null ? null : ProjectPort.of(e.getProject()).reviewed();
            e.getPresentation().setEnabled(node != null && (needed.isEmpty() || node.action(needed) != null));
        }
    }

    public static final class Review extends Of {
        public Review() {
            super(port(port -> port.review(0)));
        }
    }

    public static final class Next extends Of {
        public Next() {
            super(port(port -> port.review(1)));
        }
    }

    public static final class Previous extends Of {
        public Previous() {
            super(port(port -> port.review(-1)));
        }
    }

    public static final class Fix extends OfReviewed {
        public Fix() {
            super(Overview.Action.FIX, port -> port.act(Overview.Action.FIX));
        }
    }

    public static final class Accept extends OfReviewed {
        public Accept() {
            super(Overview.Action.ACCEPT, port -> port.act(Overview.Action.ACCEPT));
        }
    }

    public static final class Skip extends OfReviewed {
        public Skip() {
            super("", Port::skip);
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

    public static final class Report extends Of {
        public Report() {
            super(port(port -> port.execute(Commands.REPORT)));
        }
    }

    public static final class Scan extends Of {
        public Scan() {
            super(port(port -> port.execute(Commands.SCAN)));
        }
    }
}
