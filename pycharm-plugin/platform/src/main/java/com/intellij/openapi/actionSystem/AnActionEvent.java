package com.intellij.openapi.actionSystem;

import com.intellij.openapi.project.Project;
import java.util.Map;

/** Implemented, not a stub. */
public class AnActionEvent {
    private final Project project;
    private final Map<DataKey<?>, ?> data;
    private final Presentation presentation = new Presentation();

    AnActionEvent(Project project, Map<DataKey<?>, ?> data) {
        this.project = project;
        this.data = data;
    }

    public Project getProject() {
        return project;
    }

    public Presentation getPresentation() {
        return presentation;
    }

    @SuppressWarnings("unchecked") // it was given by the same key
    public <T> T getData(DataKey<T> key) {
        return (T) data.get(key);
    }
}
