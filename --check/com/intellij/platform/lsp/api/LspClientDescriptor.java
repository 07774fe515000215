package com.intellij.platform.lsp.api;

public abstract class LspClientDescriptor {
protected LspClientDescriptor(com.intellij.openapi.project.Project a0, java.lang.String a1, com.intellij.openapi.vfs.VirtualFile[] a2) { super(); com.intellij.Stub.call(this, "LspClientDescriptor.new", (Object) a0, (Object) a1, (Object) a2); }
public com.intellij.execution.configurations.GeneralCommandLine createCommandLine() throws com.intellij.execution.ExecutionException { return com.intellij.Stub.call(this, "LspClientDescriptor.createCommandLine"); }
public java.lang.Object createInitializationOptions() { return com.intellij.Stub.call(this, "LspClientDescriptor.createInitializationOptions"); }
public com.intellij.platform.lsp.api.Lsp4jClient createLsp4jClient(com.intellij.platform.lsp.api.LspServerNotificationsHandler a0) { return com.intellij.Stub.call(this, "LspClientDescriptor.createLsp4jClient", (Object) a0); }
public org.eclipse.lsp4j.ClientCapabilities getClientCapabilities() { return com.intellij.Stub.call(this, "LspClientDescriptor.getClientCapabilities"); }
public java.lang.Class<? extends com.intellij.platform.lsp.api.Lsp4jServer> getLsp4jServerClass() { return com.intellij.Stub.call(this, "LspClientDescriptor.getLsp4jServerClass"); }
public com.intellij.platform.lsp.api.LspServerListener getLspServerListener() { return com.intellij.Stub.call(this, "LspClientDescriptor.getLspServerListener"); }
public final com.intellij.openapi.project.Project getProject() { return com.intellij.Stub.call(this, "LspClientDescriptor.getProject"); }
public java.lang.Object getWorkspaceConfiguration(org.eclipse.lsp4j.ConfigurationItem a0) { return com.intellij.Stub.call(this, "LspClientDescriptor.getWorkspaceConfiguration", (Object) a0); }
public abstract boolean isSupportedFile(com.intellij.openapi.vfs.VirtualFile a0);
}
