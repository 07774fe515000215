package com.intellij.openapi.projectRoots;

import com.intellij.openapi.application.ApplicationManager;

/** Implemented, not a stub: an application service, as in the IDE. */
public abstract class ProjectJdkTable {
    public static ProjectJdkTable getInstance() {
        return ApplicationManager.getApplication().getService(ProjectJdkTable.class);
    }

    public abstract Sdk[] getAllJdks();
}
