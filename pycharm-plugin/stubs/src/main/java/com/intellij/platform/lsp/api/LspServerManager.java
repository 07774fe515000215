package com.intellij.platform.lsp.api;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;
import java.util.Collection;

public interface LspServerManager {
    static LspServerManager getInstance(Project project) {
        throw new Stub();
    }

    Collection<LspServer> getServersForProvider(Class<? extends LspServerSupportProvider> providerClass);

    void stopAndRestartIfNeeded(Class<? extends LspServerSupportProvider> providerClass);
}
