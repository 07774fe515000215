package com.intellij.ui;

public abstract class ColoredTreeCellRenderer extends com.intellij.ui.SimpleColoredComponent implements javax.swing.tree.TreeCellRenderer {
public abstract void customizeCellRenderer(javax.swing.JTree a0, java.lang.Object a1, boolean a2, boolean a3, boolean a4, int a5, boolean a6);
public final java.awt.Component getTreeCellRendererComponent(javax.swing.JTree a0, java.lang.Object a1, boolean a2, boolean a3, boolean a4, int a5, boolean a6) { return com.intellij.Stub.call(this, "ColoredTreeCellRenderer.getTreeCellRendererComponent", (Object) a0, (Object) a1, (Object) a2, (Object) a3, (Object) a4, (Object) a5, (Object) a6); }
public ColoredTreeCellRenderer() { super(); }
}
