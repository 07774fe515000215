package com.intellij.notification;

import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.project.Project;
import java.util.ArrayList;
import java.util.List;

/** Implemented, not a stub: shows itself to its group. */
public class Notification {
    final String title;
    final String content;
    final List<AnAction> actions = new ArrayList<>();
    private final NotificationGroup group;

    Notification(NotificationGroup group, String title, String content) {
        this.group = group;
        this.title = title;
        this.content = content;
    }

    public Notification addAction(AnAction action) {
        actions.add(action);
        return this;
    }

    public void notify(Project project) {
        group.shown.add(this);
    }
}
