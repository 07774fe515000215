package com.intellij.platform.lsp.api;

public interface LspServer extends LspClient {
}
