package com.intellij.platform.lsp.api;

public abstract class LspServerDescriptor extends com.intellij.platform.lsp.api.LspClientDescriptor {
protected LspServerDescriptor(com.intellij.openapi.project.Project a0, java.lang.String a1, com.intellij.openapi.vfs.VirtualFile[] a2) { super((com.intellij.openapi.project.Project) null, (java.lang.String) null, (com.intellij.openapi.vfs.VirtualFile[]) null); com.intellij.Stub.call(this, "LspServerDescriptor.new", (Object) a0, (Object) a1, (Object) a2); }
}
