package com.jetbrains.jsonSchema.extension;

public interface JsonSchemaFileProvider {
public abstract java.lang.String getName();
public abstract com.intellij.openapi.vfs.VirtualFile getSchemaFile();
public abstract com.jetbrains.jsonSchema.extension.SchemaType getSchemaType();
public abstract boolean isAvailable(com.intellij.openapi.vfs.VirtualFile a0);
}
