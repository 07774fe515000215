package com.intellij.openapi.wm;

public abstract class ToolWindowManager {
public abstract com.intellij.openapi.wm.ToolWindow getToolWindow(java.lang.String a0);
public static com.intellij.openapi.wm.ToolWindowManager getInstance(com.intellij.openapi.project.Project a0) { return a0.getService(com.intellij.openapi.wm.ToolWindowManager.class); }
public ToolWindowManager() { super(); }
}
