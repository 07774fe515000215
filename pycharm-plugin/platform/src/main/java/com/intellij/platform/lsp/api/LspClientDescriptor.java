package com.intellij.platform.lsp.api;

import com.intellij.execution.ExecutionException;
import com.intellij.execution.configurations.GeneralCommandLine;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import org.eclipse.lsp4j.ClientCapabilities;
import org.eclipse.lsp4j.ConfigurationItem;

/** Implemented, not a stub: stores the constructor's arguments. */
public abstract class LspClientDescriptor {
    private final Project project;

    protected LspClientDescriptor(Project project, String presentableName, VirtualFile... roots) {
        this.project = project;
    }

    public abstract boolean isSupportedFile(VirtualFile file);

    public GeneralCommandLine createCommandLine() throws ExecutionException {
        throw new UnsupportedOperationException();
    }

    public Object createInitializationOptions() {
        return null;
    }

    public Object getWorkspaceConfiguration(ConfigurationItem item) {
        return null;
    }

    public ClientCapabilities getClientCapabilities() {
        return new ClientCapabilities();
    }

    public Class<? extends Lsp4jServer> getLsp4jServerClass() {
        return Lsp4jServer.class;
    }

    public Lsp4jClient createLsp4jClient(LspServerNotificationsHandler handler) {
        return new Lsp4jClient(handler);
    }

    public LspServerListener getLspServerListener() {
        return null;
    }

    public final Project getProject() {
        return project;
    }
}
