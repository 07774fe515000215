package com.intellij.platform.lsp.api.lsWidget;

import com.intellij.Stub;
import com.intellij.openapi.options.Configurable;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.LspServer;
import javax.swing.Icon;

public class LspServerWidgetItem {
    public LspServerWidgetItem(
            LspServer lspServer, VirtualFile currentFile, Icon icon, Class<? extends Configurable> settingsPageClass) {
        throw new Stub();
    }
}
