package com.intellij.platform.lsp.api;

import com.intellij.Stub;
import java.util.concurrent.CompletableFuture;
import org.eclipse.lsp4j.MessageActionItem;
import org.eclipse.lsp4j.MessageParams;
import org.eclipse.lsp4j.PublishDiagnosticsParams;
import org.eclipse.lsp4j.ShowMessageRequestParams;
import org.eclipse.lsp4j.services.LanguageClient;

/** In the IDE, this client passes the messages of the server to the handler. */
public class Lsp4jClient implements LanguageClient {
    public Lsp4jClient(LspServerNotificationsHandler handler) {
    }

    @Override
    public void telemetryEvent(Object object) {
        throw new Stub();
    }

    @Override
    public final void publishDiagnostics(PublishDiagnosticsParams diagnostics) {
        throw new Stub();
    }

    @Override
    public final void showMessage(MessageParams params) {
        throw new Stub();
    }

    @Override
    public final CompletableFuture<MessageActionItem> showMessageRequest(ShowMessageRequestParams params) {
        throw new Stub();
    }

    @Override
    public final void logMessage(MessageParams message) {
        throw new Stub();
    }
}
