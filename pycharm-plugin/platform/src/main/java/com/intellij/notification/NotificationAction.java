package com.intellij.notification;

import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.project.DumbAwareAction;

/** Implemented, not a stub. */
public abstract class NotificationAction extends DumbAwareAction {
    private NotificationAction() {
    }

    public static NotificationAction createSimple(String text, Runnable performAction) {
        return new NotificationAction() {
            @Override
            public void actionPerformed(AnActionEvent e) {
                performAction.run();
            }

            @Override
            public String toString() {
                return text;
            }
        };
    }

    public static NotificationAction createSimpleExpiring(String text, Runnable performAction) {
        return createSimple(text, performAction);
    }
}
