package com.intellij.platform.lsp.api;

import com.intellij.Stub;
import org.eclipse.lsp4j.InitializeResult;

public interface LspServerListener {
    default void serverInitialized(InitializeResult result) {
        throw new Stub();
    }

    default void serverStopped(boolean shutdownNormally) {
        throw new Stub();
    }
}
