package com.intellij.openapi.projectRoots;

public interface Sdk {
    SdkTypeId getSdkType();

    String getHomePath();
}
