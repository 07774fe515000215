package com.intellij.openapi.actionSystem;

public final class Presentation {
public void setEnabled(boolean a0) { com.intellij.Stub.call(this, "Presentation.setEnabled", (Object) a0); }
public void setEnabledAndVisible(boolean a0) { com.intellij.Stub.call(this, "Presentation.setEnabledAndVisible", (Object) a0); }
Presentation() { super(); }
}
