package com.intellij.openapi.actionSystem;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;

public class AnActionEvent {
    private AnActionEvent() {
    }

    public Project getProject() {
        throw new Stub();
    }

    public Presentation getPresentation() {
        throw new Stub();
    }

    public <T> T getData(DataKey<T> key) {
        throw new Stub();
    }
}
