package uncuda.ide;

import com.intellij.openapi.actionSystem.ActionUpdateThread;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.CommonDataKeys;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.progress.Task;
import com.intellij.openapi.project.DumbAware;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerManager;
import com.intellij.testFramework.LightVirtualFile;
import java.util.Collection;
import org.eclipse.lsp4j.ExecuteCommandParams;
import uncuda.core.Commands;
import uncuda.core.Messages;
import uncuda.core.Report;

/**
 * Has the server run a command in the background. The server chooses the edits, sends them in parts and shows progress
 * and a summary; what is to be saved before and what is done with the result is decided by {@link Commands}.
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
        Collection<LspServer> servers =
                LspServerManager.getInstance(project).getServersForProvider(UncudaLspProvider.class);
        if (servers.isEmpty()) {
            Balloons.tell(project, messages.get("command.no-server"));
        }
        for (LspServer server : servers) {
            String uri = command.needsFile() ? server.getDocumentIdentifier(file).getUri() : "";
            Object result = server.sendRequestSync(TIMEOUT_MS, remote -> remote.getWorkspaceService()
                    .executeCommand(new ExecuteCommandParams(command.id(), command.arguments(uri))));
            show(project, result, messages);
        }
    }

    private void show(Project project, Object result, Messages messages) {
        if (result == null) {
            Balloons.tell(project, messages.get("command.no-answer"));
            return;
        }
        Report report = Report.of(result);
        if (command.isPreview()) {
            if (report.diff().isEmpty()) {
                Balloons.tell(project, messages.get("command.no-fixes"));
            } else {
                open(project, "uncuda.patch", report.diff());
            }
        }
        if (!report.skipped().isEmpty()) {
            String summary = report.summary(messages, command.isPreview());
            Balloons.offer(project, messages.get("report.title"), summary, messages.get("report.show"),
                    () -> open(project, "uncuda.txt", report.ofSkipped(messages, command.isPreview())));
        }
    }

    /** A text in an editor of its own, of no file: what is typed there could be saved nowhere. */
    private static void open(Project project, String name, String text) {
        LightVirtualFile file = new LightVirtualFile(name, text);
        file.setWritable(false);
        ApplicationManager.getApplication().invokeLater(
                () -> FileEditorManager.getInstance(project).openFile(file, true), project.getDisposed());
    }
}
