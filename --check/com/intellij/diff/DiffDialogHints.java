package com.intellij.diff;

public class DiffDialogHints {
public static final com.intellij.diff.DiffDialogHints FRAME = new com.intellij.diff.DiffDialogHints();
DiffDialogHints() { super(); }
}
