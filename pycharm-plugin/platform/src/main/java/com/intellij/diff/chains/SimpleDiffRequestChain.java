package com.intellij.diff.chains;

import com.intellij.diff.requests.DiffRequest;
import java.util.List;

/** Works: holds what it is given. */
public class SimpleDiffRequestChain implements DiffRequestSelectionChain {
    final List<? extends DiffRequest> requests;

    public SimpleDiffRequestChain(List<? extends DiffRequest> requests) {
        this.requests = requests;
    }
}
