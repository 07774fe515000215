package com.intellij.openapi.editor;

public interface Editor {
    Document getDocument();

    CaretModel getCaretModel();
}
