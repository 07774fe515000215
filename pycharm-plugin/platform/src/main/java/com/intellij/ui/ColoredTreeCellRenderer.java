package com.intellij.ui;

import java.awt.Component;
import javax.swing.JTree;
import javax.swing.tree.TreeCellRenderer;

/** Implemented, not a stub. */
public abstract class ColoredTreeCellRenderer extends SimpleColoredComponent implements TreeCellRenderer {
    private static final long serialVersionUID = 1;

    public abstract void customizeCellRenderer(
            JTree tree, Object value, boolean selected, boolean expanded, boolean leaf, int row, boolean hasFocus);

    @Override
    public final Component getTreeCellRendererComponent(
            JTree tree, Object value, boolean selected, boolean expanded, boolean leaf, int row, boolean hasFocus) {
        clear();
        customizeCellRenderer(tree, value, selected, expanded, leaf, row, hasFocus);
        return this;
    }
}
