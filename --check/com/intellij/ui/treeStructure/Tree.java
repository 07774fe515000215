package com.intellij.ui.treeStructure;

public class Tree extends javax.swing.JTree {
public Tree(javax.swing.tree.TreeModel a0) { super(a0); com.intellij.Stub.call(this, "Tree.new", (Object) a0); }
}
