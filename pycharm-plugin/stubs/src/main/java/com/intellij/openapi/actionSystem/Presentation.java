package com.intellij.openapi.actionSystem;

import com.intellij.Stub;

public final class Presentation {
    private Presentation() {
    }

    public void setEnabled(boolean enabled) {
        throw new Stub();
    }
}
