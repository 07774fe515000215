package com.intellij.openapi.actionSystem;

/** Implemented, not a stub. */
public final class Presentation {
    boolean isEnabled = true;

    Presentation() {
    }

    public void setEnabledAndVisible(boolean enabled) {
        isEnabled = enabled;
    }

    public void setEnabled(boolean enabled) {
        isEnabled = enabled;
    }
}
