package com.intellij.platform.lsp.api;

import com.intellij.Stub;
import com.intellij.execution.ExecutionException;
import com.intellij.execution.configurations.GeneralCommandLine;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import org.eclipse.lsp4j.ConfigurationItem;

public abstract class LspClientDescriptor {
    protected LspClientDescriptor(Project project, String presentableName, VirtualFile... roots) {
        throw new Stub();
    }

    public abstract boolean isSupportedFile(VirtualFile file);

    public GeneralCommandLine createCommandLine() throws ExecutionException {
        throw new Stub();
    }

    public Object createInitializationOptions() {
        throw new Stub();
    }

    public Object getWorkspaceConfiguration(ConfigurationItem item) {
        throw new Stub();
    }

    public LspServerListener getLspServerListener() {
        throw new Stub();
    }

    public final Project getProject() {
        throw new Stub();
    }
}
