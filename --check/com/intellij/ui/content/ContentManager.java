package com.intellij.ui.content;

public interface ContentManager {
public abstract void addContent(com.intellij.ui.content.Content a0);
public abstract com.intellij.ui.content.Content[] getContents();
}
