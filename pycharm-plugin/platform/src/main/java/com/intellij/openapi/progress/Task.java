package com.intellij.openapi.progress;

import com.intellij.openapi.project.Project;

public abstract class Task implements TaskInfo, Progressive {
    Task() {
    }

    public abstract static class Backgroundable extends Task {
        public Backgroundable(Project project, String title, boolean canBeCancelled) {
            throw new com.intellij.Stub();
        }
    }
}
