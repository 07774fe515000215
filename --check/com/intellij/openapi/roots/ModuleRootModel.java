package com.intellij.openapi.roots;

public interface ModuleRootModel {
public abstract com.intellij.openapi.projectRoots.Sdk getSdk();
}
