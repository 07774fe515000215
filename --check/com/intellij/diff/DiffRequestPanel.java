package com.intellij.diff;

public interface DiffRequestPanel extends com.intellij.openapi.Disposable {
public abstract javax.swing.JComponent getComponent();
public abstract void setRequest(com.intellij.diff.requests.DiffRequest a0);
}
