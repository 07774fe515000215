package com.intellij.ui.content;

import com.intellij.openapi.Disposable;
import javax.swing.JComponent;

public interface Content {
    JComponent getComponent();

    void setDisposer(Disposable disposer);

    void setPreferredFocusableComponent(JComponent component);
}
