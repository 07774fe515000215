package com.intellij.openapi.options;

public interface UnnamedConfigurable {
public abstract void apply() throws com.intellij.openapi.options.ConfigurationException;
public abstract javax.swing.JComponent createComponent();
public default void disposeUIResources() { com.intellij.Stub.call(this, "UnnamedConfigurable.disposeUIResources"); }
public abstract boolean isModified();
public default void reset() { com.intellij.Stub.call(this, "UnnamedConfigurable.reset"); }
}
