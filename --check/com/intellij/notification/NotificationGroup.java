package com.intellij.notification;

public final class NotificationGroup {
public final com.intellij.notification.Notification createNotification(java.lang.String a0, java.lang.String a1, com.intellij.notification.NotificationType a2) { return com.intellij.Stub.call(this, "NotificationGroup.createNotification", (Object) a0, (Object) a1, (Object) a2); }
NotificationGroup() { super(); }
}
