package com.intellij.openapi.projectRoots;

public interface SdkTypeId {
public abstract java.lang.String getName();
}
