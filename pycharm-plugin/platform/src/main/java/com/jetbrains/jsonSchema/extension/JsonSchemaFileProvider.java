package com.jetbrains.jsonSchema.extension;

import com.intellij.openapi.vfs.VirtualFile;

public interface JsonSchemaFileProvider {
    boolean isAvailable(VirtualFile file);

    String getName();

    VirtualFile getSchemaFile();

    SchemaType getSchemaType();
}
