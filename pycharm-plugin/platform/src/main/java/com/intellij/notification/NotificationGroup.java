package com.intellij.notification;

import java.util.ArrayList;
import java.util.List;

/** Implemented, not a stub: records the notifications that were shown. */
public final class NotificationGroup {
    final List<Notification> shown = new ArrayList<>();

    NotificationGroup() {
    }

    public final Notification createNotification(String title, String content, NotificationType type) {
        return new Notification(this, title, content);
    }
}
