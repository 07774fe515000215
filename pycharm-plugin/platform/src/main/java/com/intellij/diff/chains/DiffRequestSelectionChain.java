package com.intellij.diff.chains;

public interface DiffRequestSelectionChain extends DiffRequestChain {
}
