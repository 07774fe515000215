package com.intellij.ui.content;

public interface Content {
public abstract javax.swing.JComponent getComponent();
public abstract void setDisposer(com.intellij.openapi.Disposable a0);
public abstract void setPreferredFocusableComponent(javax.swing.JComponent a0);
}
