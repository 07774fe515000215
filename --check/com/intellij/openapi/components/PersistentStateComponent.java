package com.intellij.openapi.components;

public interface PersistentStateComponent<T> {
public abstract T getState();
public abstract void loadState(T a0);
}
