package com.intellij.diff.chains;

public interface DiffRequestChain {
}
