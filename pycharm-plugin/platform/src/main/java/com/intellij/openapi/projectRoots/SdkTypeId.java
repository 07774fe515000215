package com.intellij.openapi.projectRoots;

public interface SdkTypeId {
    String getName();
}
