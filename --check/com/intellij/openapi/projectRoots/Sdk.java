package com.intellij.openapi.projectRoots;

public interface Sdk {
public abstract java.lang.String getHomePath();
public abstract com.intellij.openapi.projectRoots.SdkTypeId getSdkType();
}
