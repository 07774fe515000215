package com.intellij.platform.lsp.api;

public interface LspServerListener {
public default void serverInitialized(org.eclipse.lsp4j.InitializeResult a0) { com.intellij.Stub.call(this, "LspServerListener.serverInitialized", (Object) a0); }
public default void serverStopped(boolean a0) { com.intellij.Stub.call(this, "LspServerListener.serverStopped", (Object) a0); }
}
