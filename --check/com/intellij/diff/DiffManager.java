package com.intellij.diff;

public abstract class DiffManager {
public abstract com.intellij.diff.DiffRequestPanel createRequestPanel(com.intellij.openapi.project.Project a0, com.intellij.openapi.Disposable a1, java.awt.Window a2);
public static com.intellij.diff.DiffManager getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.diff.DiffManager.class); }
public abstract void showDiff(com.intellij.openapi.project.Project a0, com.intellij.diff.chains.DiffRequestChain a1, com.intellij.diff.DiffDialogHints a2);
public DiffManager() { super(); }
}
