package com.intellij.notification;

import java.util.ArrayList;
import java.util.List;

/** Works: remembers what was shown. */
public final class NotificationGroup {
    final List<Notification> shown = new ArrayList<>();

    NotificationGroup() {
    }

    public final Notification createNotification(String title, String content, NotificationType type) {
        return new Notification(this, title, content);
    }
}
