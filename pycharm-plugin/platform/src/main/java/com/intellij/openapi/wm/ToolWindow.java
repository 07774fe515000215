package com.intellij.openapi.wm;

import com.intellij.Stub;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.ui.content.ContentManager;
import java.util.List;

public interface ToolWindow {
    ContentManager getContentManager();

    void setTitleActions(List<? extends AnAction> actions);

    default void activate(Runnable runnable) {
        throw new Stub();
    }
}
