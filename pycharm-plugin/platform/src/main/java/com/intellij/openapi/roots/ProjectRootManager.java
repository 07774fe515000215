package com.intellij.openapi.roots;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.projectRoots.Sdk;

/** Implemented, not a stub: a project service, as in the IDE. */
public abstract class ProjectRootManager {
    public static ProjectRootManager getInstance(Project project) {
        return project.getService(ProjectRootManager.class);
    }

    public abstract Sdk getProjectSdk();
}
