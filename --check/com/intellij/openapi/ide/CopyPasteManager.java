package com.intellij.openapi.ide;

public abstract class CopyPasteManager {
public abstract void setContents(java.awt.datatransfer.Transferable a0);
public static com.intellij.openapi.ide.CopyPasteManager getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.openapi.ide.CopyPasteManager.class); }
public CopyPasteManager() { super(); }
}
