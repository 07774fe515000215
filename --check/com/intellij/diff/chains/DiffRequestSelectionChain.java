package com.intellij.diff.chains;

public interface DiffRequestSelectionChain extends com.intellij.diff.chains.DiffRequestChain {
}
