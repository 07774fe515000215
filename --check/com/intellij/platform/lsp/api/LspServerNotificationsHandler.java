package com.intellij.platform.lsp.api;

public interface LspServerNotificationsHandler {
}
