package com.intellij.platform.lsp.api;

public interface LspServerSupportProvider {
public default com.intellij.platform.lsp.api.lsWidget.LspServerWidgetItem createLspServerWidgetItem(com.intellij.platform.lsp.api.LspServer a0, com.intellij.openapi.vfs.VirtualFile a1) { return com.intellij.Stub.call(this, "LspServerSupportProvider.createLspServerWidgetItem", (Object) a0, (Object) a1); }
public abstract void fileOpened(com.intellij.openapi.project.Project a0, com.intellij.openapi.vfs.VirtualFile a1, com.intellij.platform.lsp.api.LspServerSupportProvider.LspServerStarter a2);
public static interface LspServerStarter {
public abstract void ensureServerStarted(com.intellij.platform.lsp.api.LspServerDescriptor a0);
}

}
