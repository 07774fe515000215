package com.intellij.openapi.fileEditor;

public abstract class FileEditorManager {
public abstract com.intellij.openapi.fileEditor.FileEditor[] openFile(com.intellij.openapi.vfs.VirtualFile a0, boolean a1);
public static com.intellij.openapi.fileEditor.FileEditorManager getInstance(com.intellij.openapi.project.Project a0) { return a0.getService(com.intellij.openapi.fileEditor.FileEditorManager.class); }
public FileEditorManager() { super(); }
}
