package com.intellij.openapi.roots;

public abstract class ProjectRootManager {
public static com.intellij.openapi.roots.ProjectRootManager getInstance(com.intellij.openapi.project.Project a0) { return a0.getService(com.intellij.openapi.roots.ProjectRootManager.class); }
public abstract com.intellij.openapi.projectRoots.Sdk getProjectSdk();
public ProjectRootManager() { super(); }
}
