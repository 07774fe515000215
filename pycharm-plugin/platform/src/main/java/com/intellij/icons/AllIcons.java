package com.intellij.icons;

import javax.swing.Icon;
import javax.swing.ImageIcon;

public class AllIcons {
    public static final class General {
        public static final Icon Error = new ImageIcon();
        public static final Icon Information = new ImageIcon();
        public static final Icon Warning = new ImageIcon();
    }

    public static final class Nodes {
        public static final Icon Folder = new ImageIcon();
    }
}
