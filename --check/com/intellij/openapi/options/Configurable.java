package com.intellij.openapi.options;

public interface Configurable extends com.intellij.openapi.options.UnnamedConfigurable {
public abstract java.lang.String getDisplayName();
}
