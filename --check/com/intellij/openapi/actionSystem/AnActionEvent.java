package com.intellij.openapi.actionSystem;

public class AnActionEvent {
public <T> T getData(com.intellij.openapi.actionSystem.DataKey<T> a0) { return com.intellij.Stub.call(this, "AnActionEvent.getData", (Object) a0); }
public com.intellij.openapi.actionSystem.Presentation getPresentation() { return com.intellij.Stub.call(this, "AnActionEvent.getPresentation"); }
public com.intellij.openapi.project.Project getProject() { return com.intellij.Stub.call(this, "AnActionEvent.getProject"); }
AnActionEvent() { super(); }
}
