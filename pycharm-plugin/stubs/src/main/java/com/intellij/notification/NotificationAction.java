package com.intellij.notification;

import com.intellij.Stub;
import com.intellij.openapi.actionSystem.AnAction;

public abstract class NotificationAction extends AnAction {
    public static NotificationAction createSimple(String text, Runnable performAction) {
        throw new Stub();
    }
}
