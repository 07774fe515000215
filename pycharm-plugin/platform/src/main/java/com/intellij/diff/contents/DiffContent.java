package com.intellij.diff.contents;

import com.intellij.openapi.util.UserDataHolder;

public interface DiffContent extends UserDataHolder {
}
