package com.intellij.openapi.roots;

import com.intellij.openapi.module.Module;

/** Implemented, not a stub: a module service, as in the IDE. */
public abstract class ModuleRootManager implements ModuleRootModel {
    public static ModuleRootManager getInstance(Module module) {
        return module.getService(ModuleRootManager.class);
    }
}
