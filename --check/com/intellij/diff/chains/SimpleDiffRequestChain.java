package com.intellij.diff.chains;

public class SimpleDiffRequestChain implements com.intellij.diff.chains.DiffRequestSelectionChain {
public SimpleDiffRequestChain(java.util.List<? extends com.intellij.diff.requests.DiffRequest> a0) { super(); com.intellij.Stub.call(this, "SimpleDiffRequestChain.new", (Object) a0); }
}
