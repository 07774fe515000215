package uncuda.ide;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.CommonDataKeys;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import uncuda.core.Commands;
import uncuda.core.Messages;
import uncuda.core.Results;

/**
 * Runs a command of the server in the background. The server chooses the edits, sends them in parts and shows progress
 * and a summary; {@link Commands} says whether documents are saved before, and {@link Results} shows the result.
 */
public abstract class ServerAction extends AnAction implements DumbAware {
    private final Commands command;

    ServerAction(Commands command) {
        this.command = command;
    }

    @Override
    public ActionUpdateThread getActionUpdateThread() {
        return ActionUpdateThread.BGT;
    }

    @Override
    public void update(AnActionEvent e) {
        VirtualFile file = e.getData(CommonDataKeys.VIRTUAL_FILE);
        boolean fits = !command.needsFile() || file != null
                && (UncudaLspDescriptor.isPython(file) || command.takesFolder() && file.isDirectory());
        boolean isUsable = e.getProject() != null && fits;
        if (command.takesFolder()) {
            e.getPresentation().setEnabledAndVisible(isUsable); // the action is in the menus of all files and folders
        } else {
            e.getPresentation().setEnabled(isUsable);
        }
    }

    @Override
    public void actionPerformed(AnActionEvent e) {
        Project project = e.getProject();
        if (project == null) {
            return;
        }
        VirtualFile file = e.getData(CommonDataKeys.VIRTUAL_FILE);
        Messages messages = UncudaSettings.of(project).messages();
        IdeScreen screen = new IdeScreen(project);
        ProjectServer server = new ProjectServer(project);
        if (!server.runs()) {
            screen.tell(messages.get("command.no-server"));
            return;
        }
        screen.run(command.savesFirst(), () -> server.execute(command.id(), client -> command.arguments(
                command.needsFile() ? client.getDocumentIdentifier(file).getUri() : "")),
                result -> Results.show(command, result, messages, screen));
    }
}
