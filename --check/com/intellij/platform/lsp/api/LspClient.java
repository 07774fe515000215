package com.intellij.platform.lsp.api;

public interface LspClient {
public abstract org.eclipse.lsp4j.TextDocumentIdentifier getDocumentIdentifier(com.intellij.openapi.vfs.VirtualFile a0);
public abstract <T> T sendRequestSync(int a0, kotlin.jvm.functions.Function1<? super com.intellij.platform.lsp.api.Lsp4jServer, ? extends java.util.concurrent.CompletableFuture<T>> a1);
}
