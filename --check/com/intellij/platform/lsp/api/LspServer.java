package com.intellij.platform.lsp.api;

public interface LspServer extends com.intellij.platform.lsp.api.LspClient {
}
