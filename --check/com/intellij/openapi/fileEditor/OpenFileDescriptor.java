package com.intellij.openapi.fileEditor;

public class OpenFileDescriptor {
public OpenFileDescriptor(com.intellij.openapi.project.Project a0, com.intellij.openapi.vfs.VirtualFile a1, int a2) { super(); com.intellij.Stub.call(this, "OpenFileDescriptor.new", (Object) a0, (Object) a1, (Object) a2); }
public void navigate(boolean a0) { com.intellij.Stub.call(this, "OpenFileDescriptor.navigate", (Object) a0); }
}
