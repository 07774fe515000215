package com.intellij.openapi.fileEditor;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

public abstract class FileEditorManager {
    public static FileEditorManager getInstance(Project project) {
        throw new Stub();
    }

    public abstract FileEditor[] openFile(VirtualFile file, boolean focusEditor);
}
