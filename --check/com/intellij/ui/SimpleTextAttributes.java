package com.intellij.ui;

public final class SimpleTextAttributes {
public static final com.intellij.ui.SimpleTextAttributes GRAYED_ATTRIBUTES = new com.intellij.ui.SimpleTextAttributes();
SimpleTextAttributes() { super(); }
}
