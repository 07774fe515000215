package uncuda.ide;

import com.intellij.openapi.actionSystem.ActionManager;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.wm.ToolWindow;
import com.intellij.openapi.wm.ToolWindowFactory;
import com.intellij.openapi.wm.ToolWindowManager;
import com.intellij.ui.content.Content;
import com.intellij.ui.content.ContentFactory;
import java.util.List;
import java.util.function.Consumer;
import uncuda.core.Commands;

/** Creates the tool window's content when the window is first shown; the content is disposed with the window. */
public final class PortWindow implements ToolWindowFactory, DumbAware {
    private static final String ID = "uncuda";
    private static final List<String> BUTTONS = List.of("uncuda.Review", "uncuda.ReviewPrevious", "uncuda.ReviewNext",
            "uncuda.PortFilter", "uncuda.PortGroup", "uncuda.Report");

    @Override
    public void createToolWindowContent(Project project, ToolWindow window) {
        PortPanel panel = new PortPanel(project);
        String title = UncudaSettings.of(project).messages().get("port.title");
        Content content = ContentFactory.getInstance().createContent(panel, title, false);
        content.setPreferredFocusableComponent(panel.tree);
        content.setDisposer(panel);
        window.getContentManager().addContent(content);
        window.setTitleActions(BUTTONS.stream().map(ActionManager.getInstance()::getAction).toList());
    }

    /**
     * Open the view, the review or the report, as a button in a message of the server asks. May be called on any
     * thread.
     */
    static void open(Project project, String what) {
        ApplicationManager.getApplication().invokeLater(() -> {
            switch (what) {
                case "review" -> ProjectPort.of(project).review().go(0);
                case "report" -> ProjectPort.of(project).execute(Commands.REPORT);
                default -> with(project, panel -> { });
            }
        }, project.getDisposed());
    }

    /** Show the window, and call a function with its panel. */
    static void with(Project project, Consumer<PortPanel> does) {
        ToolWindow window = ToolWindowManager.getInstance(project).getToolWindow(ID);
        if (window != null) {
            window.activate(() -> {
                for (Content content : window.getContentManager().getContents()) {
                    if (content.getComponent() instanceof PortPanel panel) {
                        does.accept(panel);
                    }
                }
            });
        }
    }
}
