package com.intellij.diff.chains;

import com.intellij.diff.requests.DiffRequest;
import java.util.List;

/** Implemented, not a stub: stores its arguments. */
public class SimpleDiffRequestChain implements DiffRequestSelectionChain {
    final List<? extends DiffRequest> requests;

    public SimpleDiffRequestChain(List<? extends DiffRequest> requests) {
        this.requests = requests;
    }
}
