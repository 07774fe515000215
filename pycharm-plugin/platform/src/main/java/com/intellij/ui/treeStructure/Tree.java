package com.intellij.ui.treeStructure;

import javax.swing.JTree;
import javax.swing.tree.TreeModel;

public class Tree extends JTree {
    private static final long serialVersionUID = 1;

    public Tree(TreeModel model) {
        super(model);
    }
}
