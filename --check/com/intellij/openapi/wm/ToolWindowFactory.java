package com.intellij.openapi.wm;

public interface ToolWindowFactory {
public abstract void createToolWindowContent(com.intellij.openapi.project.Project a0, com.intellij.openapi.wm.ToolWindow a1);
}
