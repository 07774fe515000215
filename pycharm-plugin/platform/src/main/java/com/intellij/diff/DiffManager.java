package com.intellij.diff;

import com.intellij.diff.chains.DiffRequestChain;
import com.intellij.openapi.Disposable;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.project.Project;
import java.awt.Window;

/** Implemented, not a stub: an application service, as in the IDE. */
public abstract class DiffManager {
    public static DiffManager getInstance() {
        return ApplicationManager.getApplication().getService(DiffManager.class);
    }

    public abstract void showDiff(Project project, DiffRequestChain requests, DiffDialogHints hints);

    public abstract DiffRequestPanel createRequestPanel(Project project, Disposable parent, Window window);
}
