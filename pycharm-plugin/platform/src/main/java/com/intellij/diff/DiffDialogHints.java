package com.intellij.diff;

public class DiffDialogHints {
    public static final DiffDialogHints FRAME = new DiffDialogHints();

    DiffDialogHints() {
    }
}
