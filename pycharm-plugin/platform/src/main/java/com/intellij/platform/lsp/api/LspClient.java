package com.intellij.platform.lsp.api;

import com.intellij.openapi.vfs.VirtualFile;
import java.util.concurrent.CompletableFuture;
import kotlin.jvm.functions.Function1;
import org.eclipse.lsp4j.TextDocumentIdentifier;

public interface LspClient {
    TextDocumentIdentifier getDocumentIdentifier(VirtualFile file);

    <T> T sendRequestSync(int timeoutMs, Function1<? super Lsp4jServer, ? extends CompletableFuture<T>> request);
}
