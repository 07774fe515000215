package com.intellij.platform.lsp.api;

public class Lsp4jClient implements org.eclipse.lsp4j.services.LanguageClient {
public Lsp4jClient(com.intellij.platform.lsp.api.LspServerNotificationsHandler a0) { super(); com.intellij.Stub.call(this, "Lsp4jClient.new", (Object) a0); }
public final void logMessage(org.eclipse.lsp4j.MessageParams a0) { com.intellij.Stub.call(this, "Lsp4jClient.logMessage", (Object) a0); }
public final void publishDiagnostics(org.eclipse.lsp4j.PublishDiagnosticsParams a0) { com.intellij.Stub.call(this, "Lsp4jClient.publishDiagnostics", (Object) a0); }
public final void showMessage(org.eclipse.lsp4j.MessageParams a0) { com.intellij.Stub.call(this, "Lsp4jClient.showMessage", (Object) a0); }
public final java.util.concurrent.CompletableFuture<org.eclipse.lsp4j.MessageActionItem> showMessageRequest(org.eclipse.lsp4j.ShowMessageRequestParams a0) { return com.intellij.Stub.call(this, "Lsp4jClient.showMessageRequest", (Object) a0); }
public void telemetryEvent(java.lang.Object a0) { com.intellij.Stub.call(this, "Lsp4jClient.telemetryEvent", (Object) a0); }
}
