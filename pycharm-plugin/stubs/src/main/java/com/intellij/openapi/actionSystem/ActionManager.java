package com.intellij.openapi.actionSystem;

import com.intellij.Stub;

public abstract class ActionManager {
    public static ActionManager getInstance() {
        throw new Stub();
    }

    public abstract AnAction getAction(String actionId);
}
