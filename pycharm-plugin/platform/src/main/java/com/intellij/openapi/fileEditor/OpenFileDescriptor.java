package com.intellij.openapi.fileEditor;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

/** Implemented, not a stub: records which file was opened. */
public class OpenFileDescriptor {
    /** The last opened file. */
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
