package com.intellij.platform.lsp.api;

import com.intellij.openapi.project.Project;
import java.util.Collection;

/** Implemented, not a stub: a project service, as in the IDE. */
public interface LspServerManager {
    static LspServerManager getInstance(Project project) {
        return project.getService(LspServerManager.class);
    }

    Collection<LspServer> getServersForProvider(Class<? extends LspServerSupportProvider> providerClass);

    void stopAndRestartIfNeeded(Class<? extends LspServerSupportProvider> providerClass);
}
