package uncuda.ide;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.CommonDataKeys;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.progress.Task;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerManager;
import java.util.Collection;
import org.eclipse.lsp4j.ExecuteCommandParams;
import uncuda.core.Commands;
import uncuda.core.Messages;
import uncuda.core.Results;

/**
 * Has the server run a command in the background. The server chooses the edits, sends them in parts and shows progress
 * and a summary; {@link Commands} says what is to be saved before, {@link Results} what becomes of the result. No test
 * here runs this class: no more belongs into it.
 */
public abstract class ServerAction extends AnAction implements DumbAware {
    private static final int TIMEOUT_MS = 30 * 60 * 1000;
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
        e.getPresentation().setEnabled(e.getProject() != null
                && (!command.needsFile() || file != null && UncudaLspDescriptor.isPython(file)));
    }

    @Override
    public void actionPerformed(AnActionEvent e) {
        Project project = e.getProject();
        if (project == null) {
            return;
        }
        VirtualFile file = e.getData(CommonDataKeys.VIRTUAL_FILE);
        Messages messages = UncudaSettings.of(project).messages();
        if (command.savesFirst()) {
            FileDocumentManager.getInstance().saveAllDocuments();
        }
        ProgressManager.getInstance().run(new Task.Backgroundable(project, messages.get("command.running"), true) {
            @Override
            public void run(ProgressIndicator indicator) {
                execute(project, file, messages);
            }
        });
    }

    private void execute(Project project, VirtualFile file, Messages messages) {
        IdeScreen screen = new IdeScreen(project);
        Collection<LspServer> servers =
                LspServerManager.getInstance(project).getServersForProvider(UncudaLspProvider.class);
        if (servers.isEmpty()) {
            screen.tell(messages.get("command.no-server"));
        }
        for (LspServer server : servers) {
            String uri = command.needsFile() ? server.getDocumentIdentifier(file).getUri() : "";
            Object result = server.sendRequestSync(TIMEOUT_MS, remote -> remote.getWorkspaceService()
                    .executeCommand(new ExecuteCommandParams(command.id(), command.arguments(uri))));
            Results.show(command, result, messages, screen);
        }
    }
}
