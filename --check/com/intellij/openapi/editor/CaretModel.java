package com.intellij.openapi.editor;

public interface CaretModel {
public abstract int getOffset();
}
