package com.intellij.notification;

import com.intellij.Stub;

public interface NotificationGroupManager {
    static NotificationGroupManager getInstance() {
        throw new Stub();
    }

    NotificationGroup getNotificationGroup(String groupId);
}
