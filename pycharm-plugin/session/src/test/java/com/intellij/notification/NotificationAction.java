package com.intellij.notification;

import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;

/** Working stand-in. */
public abstract class NotificationAction extends AnAction {
    private final String text;

    private NotificationAction(String text) {
        this.text = text;
    }

    public static NotificationAction createSimple(String text, Runnable performAction) {
        return new NotificationAction(text) {
            @Override
            public void actionPerformed(AnActionEvent e) {
                performAction.run();
            }
        };
    }

    @Override
    public String toString() {
        return text;
    }
}
