package com.intellij.openapi.module;

public class ModuleUtilCore {
public static com.intellij.openapi.module.Module findModuleForFile(com.intellij.openapi.vfs.VirtualFile a0, com.intellij.openapi.project.Project a1) { return com.intellij.Stub.call(null, "ModuleUtilCore.findModuleForFile", (Object) a0, (Object) a1); }
ModuleUtilCore() { super(); }
}
