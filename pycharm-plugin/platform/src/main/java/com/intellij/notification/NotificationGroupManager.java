package com.intellij.notification;

import com.intellij.openapi.application.ApplicationManager;

/** Implemented, not a stub: an application service, as in the IDE. */
public interface NotificationGroupManager {
    static NotificationGroupManager getInstance() {
        return ApplicationManager.getApplication().getService(NotificationGroupManager.class);
    }

    NotificationGroup getNotificationGroup(String groupId);
}
