package com.intellij.openapi.wm;

import com.intellij.openapi.project.Project;

/** Implemented, not a stub: a project service, as in the IDE. */
public abstract class ToolWindowManager {
    public static ToolWindowManager getInstance(Project project) {
        return project.getService(ToolWindowManager.class);
    }

    public abstract ToolWindow getToolWindow(String id);
}
