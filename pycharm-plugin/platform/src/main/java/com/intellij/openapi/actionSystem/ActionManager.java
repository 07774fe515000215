package com.intellij.openapi.actionSystem;

/** Implemented, not a stub: the text of an action of the IDE is its id. */
public abstract class ActionManager {
    public static ActionManager getInstance() {
        return new ActionManager() {
            @Override
            public AnAction getAction(String actionId) {
                return new AnAction() {
                    @Override
                    public void actionPerformed(AnActionEvent e) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public String toString() {
                        return actionId;
                    }
                };
            }
        };
    }

    public abstract AnAction getAction(String actionId);
}
