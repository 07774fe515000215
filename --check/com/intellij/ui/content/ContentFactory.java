package com.intellij.ui.content;

public interface ContentFactory {
public abstract com.intellij.ui.content.Content createContent(javax.swing.JComponent a0, java.lang.String a1, boolean a2);
public static com.intellij.ui.content.ContentFactory getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.ui.content.ContentFactory.class); }
}
