package com.intellij.openapi.project;

public abstract class DumbAwareAction extends com.intellij.openapi.actionSystem.AnAction implements com.intellij.openapi.project.DumbAware {
public DumbAwareAction() { super(); com.intellij.Stub.call(this, "DumbAwareAction.new"); }
}
