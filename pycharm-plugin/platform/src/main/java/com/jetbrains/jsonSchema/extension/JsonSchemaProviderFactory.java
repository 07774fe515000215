package com.jetbrains.jsonSchema.extension;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.openapi.vfs.VirtualFileManager;
import java.util.List;

public interface JsonSchemaProviderFactory {
    List<JsonSchemaFileProvider> getProviders(Project project);

    /** Implemented, not a stub, because the core can read files in jars. */
    static VirtualFile getResourceFile(Class<?> baseClass, String resourcePath) {
        String url = baseClass.getResource(resourcePath).toString();
        return VirtualFileManager.getInstance().findFileByUrl(url.replaceFirst("^jar:file:", "jar://"));
    }
}
