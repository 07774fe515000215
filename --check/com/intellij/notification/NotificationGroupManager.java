package com.intellij.notification;

public interface NotificationGroupManager {
public static com.intellij.notification.NotificationGroupManager getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.notification.NotificationGroupManager.class); }
public abstract com.intellij.notification.NotificationGroup getNotificationGroup(java.lang.String a0);
}
