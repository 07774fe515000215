package com.intellij.diff;

public abstract class DiffContentFactory {
public abstract com.intellij.diff.contents.DiffContent create(com.intellij.openapi.project.Project a0, com.intellij.openapi.vfs.VirtualFile a1);
public abstract com.intellij.diff.contents.DocumentContent create(com.intellij.openapi.project.Project a0, java.lang.String a1, com.intellij.openapi.vfs.VirtualFile a2);
public static com.intellij.diff.DiffContentFactory getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.diff.DiffContentFactory.class); }
public DiffContentFactory() { super(); }
}
