package com.intellij.platform.lsp.api;

public interface Lsp4jServer extends org.eclipse.lsp4j.services.LanguageServer {
}
