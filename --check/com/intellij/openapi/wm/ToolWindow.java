package com.intellij.openapi.wm;

public interface ToolWindow {
public default void activate(java.lang.Runnable a0) { com.intellij.Stub.call(this, "ToolWindow.activate", (Object) a0); }
public abstract com.intellij.ui.content.ContentManager getContentManager();
public abstract void setTitleActions(java.util.List<? extends com.intellij.openapi.actionSystem.AnAction> a0);
}
