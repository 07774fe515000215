package com.intellij.ide.actionsOnSave.impl;

import com.intellij.openapi.editor.Document;
import com.intellij.openapi.project.Project;

public final class ActionsOnSaveFileDocumentManagerListener {
    ActionsOnSaveFileDocumentManagerListener() {
    }

    public abstract static class ActionOnSave {
        public boolean isEnabledForProject(Project project) {
            return false;
        }

        public void processDocuments(Project project, Document[] documents) {
        }
    }
}
