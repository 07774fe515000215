package com.intellij.openapi.actionSystem;

import com.intellij.openapi.project.Project;
import java.util.Map;

/** What the IDE does with an action, for tests. */
public final class Events {
    private Events() {
    }

    public static AnActionEvent in(Project project, Map<DataKey<?>, ?> data) {
        return new AnActionEvent(project, data);
    }

    /** Whether the menu shows it as one that can be chosen. */
    public static boolean isEnabled(AnAction action, Project project, Map<DataKey<?>, ?> data) {
        AnActionEvent event = in(project, data);
        action.update(event);
        return event.getPresentation().isEnabled;
    }
}
