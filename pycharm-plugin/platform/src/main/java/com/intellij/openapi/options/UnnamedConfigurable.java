package com.intellij.openapi.options;

import javax.swing.JComponent;

public interface UnnamedConfigurable {
    JComponent createComponent();

    boolean isModified();

    void apply() throws ConfigurationException;

    default void reset() {
    }

    default void disposeUIResources() {
    }
}
