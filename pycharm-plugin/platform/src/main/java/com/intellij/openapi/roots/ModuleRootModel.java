package com.intellij.openapi.roots;

import com.intellij.openapi.projectRoots.Sdk;

public interface ModuleRootModel {
    Sdk getSdk();
}
