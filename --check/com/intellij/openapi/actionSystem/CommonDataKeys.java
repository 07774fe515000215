package com.intellij.openapi.actionSystem;

public class CommonDataKeys {
public static final com.intellij.openapi.actionSystem.DataKey<com.intellij.openapi.editor.Editor> EDITOR = new com.intellij.openapi.actionSystem.DataKey();
public static final com.intellij.openapi.actionSystem.DataKey<com.intellij.openapi.vfs.VirtualFile> VIRTUAL_FILE = new com.intellij.openapi.actionSystem.DataKey();
CommonDataKeys() { super(); }
}
