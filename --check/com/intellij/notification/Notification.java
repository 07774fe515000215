package com.intellij.notification;

public class Notification {
public com.intellij.notification.Notification addAction(com.intellij.openapi.actionSystem.AnAction a0) { return com.intellij.Stub.call(this, "Notification.addAction", (Object) a0); }
public void notify(com.intellij.openapi.project.Project a0) { com.intellij.Stub.call(this, "Notification.notify", (Object) a0); }
Notification() { super(); }
}
