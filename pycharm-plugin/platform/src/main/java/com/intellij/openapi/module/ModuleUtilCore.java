package com.intellij.openapi.module;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

/** Works: a project here has one module or none. */
public class ModuleUtilCore {
    private ModuleUtilCore() {
    }

    public static Module findModuleForFile(VirtualFile file, Project project) {
        return project.getService(Module.class);
    }
}
