package com.intellij.ui;

public final class SimpleTextAttributes {
    public static final SimpleTextAttributes GRAYED_ATTRIBUTES = new SimpleTextAttributes();

    private SimpleTextAttributes() {
    }
}
