package com.intellij.ui.content;

import com.intellij.openapi.application.ApplicationManager;
import javax.swing.JComponent;

/** Implemented, not a stub: an application service, as in the IDE. */
public interface ContentFactory {
    static ContentFactory getInstance() {
        return ApplicationManager.getApplication().getService(ContentFactory.class);
    }

    Content createContent(JComponent component, String displayName, boolean isLockable);
}
