package com.intellij.openapi.fileChooser;

import com.intellij.Stub;

public class FileChooserDescriptor {
    public FileChooserDescriptor(boolean files, boolean folders, boolean jars, boolean jarsAsFiles, boolean jarContents,
            boolean multiple) {
        throw new Stub();
    }
}
