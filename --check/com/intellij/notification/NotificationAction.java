package com.intellij.notification;

public abstract class NotificationAction extends com.intellij.openapi.project.DumbAwareAction {
public static com.intellij.notification.NotificationAction createSimple(java.lang.String a0, java.lang.Runnable a1) { return com.intellij.Stub.call(null, "NotificationAction.createSimple", (Object) a0, (Object) a1); }
public static com.intellij.notification.NotificationAction createSimpleExpiring(java.lang.String a0, java.lang.Runnable a1) { return com.intellij.Stub.call(null, "NotificationAction.createSimpleExpiring", (Object) a0, (Object) a1); }
public NotificationAction() { super(); }
}
