package com.jetbrains.jsonSchema.extension;

public interface JsonSchemaProviderFactory {
public abstract java.util.List<com.jetbrains.jsonSchema.extension.JsonSchemaFileProvider> getProviders(com.intellij.openapi.project.Project a0);
public static com.intellij.openapi.vfs.VirtualFile getResourceFile(java.lang.Class<?> a0, java.lang.String a1) { return com.intellij.Stub.call(null, "JsonSchemaProviderFactory.getResourceFile", (Object) a0, (Object) a1); }
}
