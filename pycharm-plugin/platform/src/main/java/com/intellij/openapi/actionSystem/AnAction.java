package com.intellij.openapi.actionSystem;

import com.intellij.Stub;

public abstract class AnAction {
    public AnAction() {
    }

    public abstract void actionPerformed(AnActionEvent e);

    public void update(AnActionEvent e) {
        throw new Stub();
    }

    public ActionUpdateThread getActionUpdateThread() {
        throw new Stub();
    }
}
