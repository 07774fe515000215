package com.intellij.openapi.actionSystem;

public abstract class ActionManager {
public abstract com.intellij.openapi.actionSystem.AnAction getAction(java.lang.String a0);
public static com.intellij.openapi.actionSystem.ActionManager getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.openapi.actionSystem.ActionManager.class); }
public ActionManager() { super(); }
}
