package uncuda.ide;

import com.intellij.ide.actionsOnSave.impl.ActionsOnSaveFileDocumentManagerListener.ActionOnSave;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import uncuda.core.Commands;
import uncuda.core.Report;

/**
 * Makes the safe fixes of a file that the user saves, if the user wants it. Its base is of no public package: an IDE
 * that has it no more has no such extension point either, and leaves this class alone.
 */
public final class FixOnSave extends ActionOnSave {
    @Override
    public boolean isEnabledForProject(Project project) {
        return UncudaSettings.of(project).options().fixesOnSave();
    }

    /** The server's edit comes later and is one step to take back; the file is then saved again. */
    @Override
    public void processDocuments(Project project, Document[] documents) {
        FileDocumentManager files = FileDocumentManager.getInstance();
        ProjectServer server = new ProjectServer(project);
        for (Document document : documents) {
            VirtualFile file = files.getFile(document);
            if (file != null && UncudaLspDescriptor.isPython(file) && server.runs()) {
                Background.run(project, false, () -> server.execute(Commands.FIX_ON_SAVE.id(), client ->
                        Commands.FIX_ON_SAVE.arguments(client.getDocumentIdentifier(file).getUri())), result -> {
                    if (result != null && Report.of(result).files() > 0) {
                        files.saveDocument(document);
                    }
                });
            }
        }
    }
}
