package com.intellij.openapi.components;

public @interface State {
public abstract java.lang.String name();
public abstract com.intellij.openapi.components.Storage[] storages();
}
