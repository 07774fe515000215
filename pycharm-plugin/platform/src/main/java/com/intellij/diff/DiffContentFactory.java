package com.intellij.diff;

import com.intellij.diff.contents.DiffContent;
import com.intellij.diff.contents.DocumentContent;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;

/** Implemented, not a stub: an application service, as in the IDE. */
public abstract class DiffContentFactory {
    public static DiffContentFactory getInstance() {
        return ApplicationManager.getApplication().getService(DiffContentFactory.class);
    }

    public abstract DiffContent create(Project project, VirtualFile file);

    public abstract DocumentContent create(Project project, String text, VirtualFile highlightFile);
}
