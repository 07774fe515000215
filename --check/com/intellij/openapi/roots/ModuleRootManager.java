package com.intellij.openapi.roots;

public abstract class ModuleRootManager implements com.intellij.openapi.roots.ModuleRootModel {
public static com.intellij.openapi.roots.ModuleRootManager getInstance(com.intellij.openapi.module.Module a0) { return a0.getService(com.intellij.openapi.roots.ModuleRootManager.class); }
public ModuleRootManager() { super(); }
}
