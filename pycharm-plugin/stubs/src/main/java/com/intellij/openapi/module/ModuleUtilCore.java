package com.intellij.openapi.module;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

public class ModuleUtilCore {
    private ModuleUtilCore() {
    }

    public static Module findModuleForFile(VirtualFile file, Project project) {
        throw new Stub();
    }
}
