package com.intellij.openapi.fileChooser;

public class FileChooserDescriptor {
public FileChooserDescriptor(boolean a0, boolean a1, boolean a2, boolean a3, boolean a4, boolean a5) { super(); com.intellij.Stub.call(this, "FileChooserDescriptor.new", (Object) a0, (Object) a1, (Object) a2, (Object) a3, (Object) a4, (Object) a5); }
}
