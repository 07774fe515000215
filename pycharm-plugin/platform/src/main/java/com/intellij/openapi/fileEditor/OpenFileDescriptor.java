package com.intellij.openapi.fileEditor;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

/** Works: remembers what was opened. */
public class OpenFileDescriptor {
    /** What was opened last. */
    static volatile OpenFileDescriptor last;
    final VirtualFile file;
    final int offset;

    public OpenFileDescriptor(Project project, VirtualFile file, int offset) {
        this.file = file;
        this.offset = offset;
    }

    public void navigate(boolean requestFocus) {
        last = this;
    }
}
