package com.intellij.platform.lsp.api;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.lsWidget.LspServerWidgetItem;

public interface LspServerSupportProvider {
    void fileOpened(Project project, VirtualFile file, LspServerStarter serverStarter);

    default LspServerWidgetItem createLspServerWidgetItem(LspServer lspServer, VirtualFile currentFile) {
        throw new Stub();
    }

    interface LspServerStarter {
        void ensureServerStarted(LspServerDescriptor descriptor);
    }
}
