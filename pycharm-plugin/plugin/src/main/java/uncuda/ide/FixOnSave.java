package uncuda.ide;

import com.intellij.ide.actionsOnSave.impl.ActionsOnSaveFileDocumentManagerListener.ActionOnSave;
import com.intellij.openapi.editor.Document;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import uncuda.core.Commands;
import uncuda.core.Report;

/**
 * Makes the safe fixes of a file when the user saves it, if the setting is on. The base class is not in a public
 * package: an IDE without the class does not have the extension point, either, and does not load this class.
 */
public final class FixOnSave extends ActionOnSave {
    @Override
    public boolean isEnabledForProject(Project project) {
        return UncudaSettings.of(project).options().fixesOnSave();
    }

    /** The server's edit comes later and is one step of undo; the file is then saved again. */
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
