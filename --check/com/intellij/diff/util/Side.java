package com.intellij.diff.util;

public enum Side { LEFT }