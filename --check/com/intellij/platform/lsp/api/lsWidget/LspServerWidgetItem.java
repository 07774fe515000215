package com.intellij.platform.lsp.api.lsWidget;

public class LspServerWidgetItem {
public LspServerWidgetItem(com.intellij.platform.lsp.api.LspServer a0, com.intellij.openapi.vfs.VirtualFile a1, javax.swing.Icon a2, java.lang.Class<? extends com.intellij.openapi.options.Configurable> a3) { super(); com.intellij.Stub.call(this, "LspServerWidgetItem.new", (Object) a0, (Object) a1, (Object) a2, (Object) a3); }
}
