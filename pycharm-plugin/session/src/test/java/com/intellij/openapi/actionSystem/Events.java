package com.intellij.openapi.actionSystem;

import com.intellij.openapi.project.Project;

/** What the IDE does with an action, for tests. */
public final class Events {
    private Events() {
    }

    public static AnActionEvent in(Project project) {
        return new AnActionEvent(project);
    }

    /** Whether the menu shows it as one that can be chosen. */
    public static boolean isEnabled(AnAction action, Project project) {
        AnActionEvent event = in(project);
        action.update(event);
        return event.getPresentation().isEnabled;
    }
}
