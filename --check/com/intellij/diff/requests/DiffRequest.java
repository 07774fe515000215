package com.intellij.diff.requests;

public abstract class DiffRequest implements com.intellij.openapi.util.UserDataHolder {
public <T> T getUserData(com.intellij.openapi.util.Key<T> a0) { return com.intellij.Stub.call(this, "DiffRequest.getUserData", (Object) a0); }
public <T> void putUserData(com.intellij.openapi.util.Key<T> a0, T a1) { com.intellij.Stub.call(this, "DiffRequest.putUserData", (Object) a0, (Object) a1); }
public DiffRequest() { super(); }
}
