package com.intellij.openapi.fileChooser;

public class FileChooser {
public static com.intellij.openapi.vfs.VirtualFile chooseFile(com.intellij.openapi.fileChooser.FileChooserDescriptor a0, com.intellij.openapi.project.Project a1, com.intellij.openapi.vfs.VirtualFile a2) { return com.intellij.Stub.call(null, "FileChooser.chooseFile", (Object) a0, (Object) a1, (Object) a2); }
FileChooser() { super(); }
}
