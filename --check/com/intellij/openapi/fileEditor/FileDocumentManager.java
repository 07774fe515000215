package com.intellij.openapi.fileEditor;

public abstract class FileDocumentManager {
public abstract com.intellij.openapi.editor.Document getDocument(com.intellij.openapi.vfs.VirtualFile a0);
public abstract com.intellij.openapi.vfs.VirtualFile getFile(com.intellij.openapi.editor.Document a0);
public abstract void saveAllDocuments();
public abstract void saveDocument(com.intellij.openapi.editor.Document a0);
public static com.intellij.openapi.fileEditor.FileDocumentManager getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.openapi.fileEditor.FileDocumentManager.class); }
public FileDocumentManager() { super(); }
}
