package com.intellij.notification;

import com.intellij.Stub;
import com.intellij.openapi.project.DumbAwareAction;

public abstract class NotificationAction extends DumbAwareAction {
    private NotificationAction() {
    }

    public static NotificationAction createSimple(String text, Runnable performAction) {
        throw new Stub();
    }

    public static NotificationAction createSimpleExpiring(String text, Runnable performAction) {
        throw new Stub();
    }
}
