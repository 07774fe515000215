package com.intellij.openapi.components;

public @interface Storage {
public abstract java.lang.String value();
}
