package com.intellij.platform.lsp.api;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

public abstract class LspServerDescriptor extends LspClientDescriptor {
    protected LspServerDescriptor(Project project, String presentableName, VirtualFile... roots) {
        super(project, presentableName, roots);
    }
}
