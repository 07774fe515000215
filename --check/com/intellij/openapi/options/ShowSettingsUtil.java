package com.intellij.openapi.options;

public abstract class ShowSettingsUtil {
public abstract <T extends com.intellij.openapi.options.Configurable> void showSettingsDialog(com.intellij.openapi.project.Project a0, java.lang.Class<T> a1);
public static com.intellij.openapi.options.ShowSettingsUtil getInstance() { return com.intellij.openapi.application.ApplicationManager.getApplication().getService(com.intellij.openapi.options.ShowSettingsUtil.class); }
public ShowSettingsUtil() { super(); }
}
