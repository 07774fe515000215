package com.intellij.platform.lsp.api;

public abstract class ProjectWideLspServerDescriptor extends com.intellij.platform.lsp.api.LspServerDescriptor {
public ProjectWideLspServerDescriptor(com.intellij.openapi.project.Project a0, java.lang.String a1) { super((com.intellij.openapi.project.Project) null, (java.lang.String) null, (com.intellij.openapi.vfs.VirtualFile[]) null); com.intellij.Stub.call(this, "ProjectWideLspServerDescriptor.new", (Object) a0, (Object) a1); }
}
