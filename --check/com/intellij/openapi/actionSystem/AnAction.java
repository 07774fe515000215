package com.intellij.openapi.actionSystem;

public abstract class AnAction {
public AnAction() { super(); com.intellij.Stub.call(this, "AnAction.new"); }
public abstract void actionPerformed(com.intellij.openapi.actionSystem.AnActionEvent a0);
public com.intellij.openapi.actionSystem.ActionUpdateThread getActionUpdateThread() { return com.intellij.Stub.call(this, "AnAction.getActionUpdateThread"); }
public void update(com.intellij.openapi.actionSystem.AnActionEvent a0) { com.intellij.Stub.call(this, "AnAction.update", (Object) a0); }
}
