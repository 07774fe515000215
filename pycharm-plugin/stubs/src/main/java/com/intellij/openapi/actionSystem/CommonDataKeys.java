package com.intellij.openapi.actionSystem;

import com.intellij.Stub;
import com.intellij.openapi.vfs.VirtualFile;

public abstract class CommonDataKeys {
    public static final DataKey<VirtualFile> VIRTUAL_FILE = null;

    private CommonDataKeys() {
        throw new Stub();
    }
}
