package uncuda.ide;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.IconLoader;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerSupportProvider;
import com.intellij.platform.lsp.api.lsWidget.LspServerWidgetItem;

/** Starts the server when the first Python file is opened. The IDE waits for these methods, so they must be fast. */
public final class UncudaLspProvider implements LspServerSupportProvider {
    @Override
    public void fileOpened(Project project, VirtualFile file, LspServerStarter serverStarter) {
        if (UncudaLspDescriptor.isPython(file)) {
            serverStarter.ensureServerStarted(new UncudaLspDescriptor(project, file));
        }
    }

    @Override
    public LspServerWidgetItem createLspServerWidgetItem(LspServer lspServer, VirtualFile currentFile) {
        return new LspServerWidgetItem(lspServer, currentFile,
                IconLoader.getIcon("/icons/uncuda.svg", UncudaLspProvider.class), UncudaConfigurable.class);
    }
}
