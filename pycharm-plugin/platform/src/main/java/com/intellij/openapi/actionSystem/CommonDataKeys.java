package com.intellij.openapi.actionSystem;

import com.intellij.openapi.vfs.VirtualFile;

public class CommonDataKeys {
    public static final DataKey<VirtualFile> VIRTUAL_FILE = null;

    private CommonDataKeys() {
    }
}
