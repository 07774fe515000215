package com.intellij.openapi.actionSystem;

/** Works. */
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
