package com.intellij.diff.util;

public interface DiffUserDataKeys {
public static final com.intellij.openapi.util.Key<java.util.List<com.intellij.openapi.actionSystem.AnAction>> CONTEXT_ACTIONS = com.intellij.openapi.util.Key.create("");
public static final com.intellij.openapi.util.Key<com.intellij.openapi.util.Pair<com.intellij.diff.util.Side, java.lang.Integer>> SCROLL_TO_LINE = com.intellij.openapi.util.Key.create("");
}
