package com.intellij.openapi.ui;

public class Messages {
public static java.lang.String showInputDialog(com.intellij.openapi.project.Project a0, java.lang.String a1, java.lang.String a2, javax.swing.Icon a3) { return com.intellij.Stub.call(null, "Messages.showInputDialog", (Object) a0, (Object) a1, (Object) a2, (Object) a3); }
Messages() { super(); }
}
