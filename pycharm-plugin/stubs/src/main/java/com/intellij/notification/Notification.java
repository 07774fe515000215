package com.intellij.notification;

import com.intellij.Stub;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.project.Project;

public class Notification {
    private Notification() {
    }

    public Notification addAction(AnAction action) {
        throw new Stub();
    }

    public void notify(Project project) {
        throw new Stub();
    }
}
