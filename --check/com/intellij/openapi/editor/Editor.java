package com.intellij.openapi.editor;

public interface Editor {
public abstract com.intellij.openapi.editor.CaretModel getCaretModel();
public abstract com.intellij.openapi.editor.Document getDocument();
}
