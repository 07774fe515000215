package com.intellij.notification;

import com.intellij.Stub;

public final class NotificationGroup {
    private NotificationGroup() {
    }

    public final Notification createNotification(String title, String content, NotificationType type) {
        throw new Stub();
    }
}
