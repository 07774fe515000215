package com.intellij.openapi.actionSystem;

import com.intellij.openapi.project.Project;
import java.util.Map;

/** Updates and performs an action as the IDE does, for tests. */
public final class Events {
    private Events() {
    }

    public static AnActionEvent in(Project project, Map<DataKey<?>, ?> data) {
        return new AnActionEvent(project, data);
    }

    /** Return whether the menu shows the action, and it is enabled. */
    public static boolean isEnabled(AnAction action, Project project, Map<DataKey<?>, ?> data) {
        AnActionEvent event = in(project, data);
        action.update(event);
        return event.getPresentation().isEnabled;
    }
}
