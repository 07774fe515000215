package com.intellij.platform.lsp.api;

public interface LspServerManager {
public abstract java.util.Collection<com.intellij.platform.lsp.api.LspServer> getServersForProvider(java.lang.Class<? extends com.intellij.platform.lsp.api.LspServerSupportProvider> a0);
public static com.intellij.platform.lsp.api.LspServerManager getInstance(com.intellij.openapi.project.Project a0) { return a0.getService(com.intellij.platform.lsp.api.LspServerManager.class); }
public abstract void stopAndRestartIfNeeded(java.lang.Class<? extends com.intellij.platform.lsp.api.LspServerSupportProvider> a0);
}
