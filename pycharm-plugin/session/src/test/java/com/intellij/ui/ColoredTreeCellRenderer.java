package com.intellij.ui;

import java.awt.Component;
import javax.swing.Icon;
import javax.swing.JComponent;
import javax.swing.JTree;
import javax.swing.tree.TreeCellRenderer;

/** Stores the text of the row, which screen readers read; in tests it replaces the written type. */
public abstract class ColoredTreeCellRenderer extends JComponent implements TreeCellRenderer {
    private static final long serialVersionUID = 1;
    private String text;

    public abstract void customizeCellRenderer(
            JTree tree, Object value, boolean selected, boolean expanded, boolean leaf, int row, boolean hasFocus);

    @Override
    public final Component getTreeCellRendererComponent(
            JTree tree, Object value, boolean selected, boolean expanded, boolean leaf, int row, boolean hasFocus) {
        text = "";
        customizeCellRenderer(tree, value, selected, expanded, leaf, row, hasFocus);
        return this;
    }

    public void append(String fragment) {
        text += fragment;
    }

    public void append(String fragment, SimpleTextAttributes attributes) {
        text += fragment;
    }

    public void setIcon(Icon icon) {
    }

    @Override
    public String toString() {
        return text;
    }
}
