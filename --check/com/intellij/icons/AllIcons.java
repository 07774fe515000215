package com.intellij.icons;

public class AllIcons {
AllIcons() { super(); }
public static final class General {
public static final javax.swing.Icon Error = new javax.swing.ImageIcon();
public static final javax.swing.Icon Information = new javax.swing.ImageIcon();
public static final javax.swing.Icon Warning = new javax.swing.ImageIcon();
General() { super(); }
}

public static final class Nodes {
public static final javax.swing.Icon Folder = new javax.swing.ImageIcon();
Nodes() { super(); }
}

}
