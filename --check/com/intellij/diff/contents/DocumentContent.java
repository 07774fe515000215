package com.intellij.diff.contents;

public interface DocumentContent extends com.intellij.diff.contents.DiffContent {
}
