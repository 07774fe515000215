package com.intellij.openapi.fileChooser;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

public class FileChooser {
    FileChooser() {
    }

    public static VirtualFile chooseFile(FileChooserDescriptor descriptor, Project project, VirtualFile toSelect) {
        throw new Stub();
    }
}
