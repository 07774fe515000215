package com.intellij.ui;

public class SimpleColoredComponent extends javax.swing.JComponent {
public void append(java.lang.String a0) { com.intellij.Stub.call(this, "SimpleColoredComponent.append", (Object) a0); }
public void append(java.lang.String a0, com.intellij.ui.SimpleTextAttributes a1) { com.intellij.Stub.call(this, "SimpleColoredComponent.append", (Object) a0, (Object) a1); }
public void clear() { com.intellij.Stub.call(this, "SimpleColoredComponent.clear"); }
public void setIcon(javax.swing.Icon a0) { com.intellij.Stub.call(this, "SimpleColoredComponent.setIcon", (Object) a0); }
SimpleColoredComponent() { super(); }
}
