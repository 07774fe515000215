package com.intellij.openapi.fileEditor;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

public class OpenFileDescriptor {
    public OpenFileDescriptor(Project project, VirtualFile file, int offset) {
        throw new Stub();
    }

    public void navigate(boolean requestFocus) {
        throw new Stub();
    }
}
