package com.intellij.openapi.actionSystem;

import com.intellij.openapi.project.Project;

/** Works: is of a project, and of nothing else. */
public class AnActionEvent {
    private final Project project;
    private final Presentation presentation = new Presentation();

    AnActionEvent(Project project) {
        this.project = project;
    }

    public Project getProject() {
        return project;
    }

    public Presentation getPresentation() {
        return presentation;
    }

    public <T> T getData(DataKey<T> key) {
        return null;
    }
}
