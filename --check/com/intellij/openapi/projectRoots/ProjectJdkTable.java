package com.intellij.openapi.projectRoots;

public abstract class ProjectJdkTable {
public abstract com.intellij.openapi.projectRoots.Sdk[] getAllJdks();
public static com.intellij.openapi.projectRoots.ProjectJdkTable getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.openapi.projectRoots.ProjectJdkTable.class); }
public ProjectJdkTable() { super(); }
}
