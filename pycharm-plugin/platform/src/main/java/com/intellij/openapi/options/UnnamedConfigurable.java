package com.intellij.openapi.options;

import javax.swing.JComponent;

public interface UnnamedConfigurable {
    JComponent createComponent();

    boolean isModified();

    void apply();

    default void reset() {
    }

    default void disposeUIResources() {
    }
}
