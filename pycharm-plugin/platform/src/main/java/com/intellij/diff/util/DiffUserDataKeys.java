package com.intellij.diff.util;

import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.util.Key;
import com.intellij.openapi.util.Pair;
import java.util.List;

public interface DiffUserDataKeys {
    Key<List<AnAction>> CONTEXT_ACTIONS = Key.create("context actions");
    Key<Pair<Side, Integer>> SCROLL_TO_LINE = Key.create("scroll to line");
}
