package com.intellij.diff.chains;

import com.intellij.diff.requests.ContentDiffRequest;
import java.util.List;

/** Returns the requests that the plugin put into a chain, for tests. */
public final class Chained {
    private Chained() {
    }

    public static List<ContentDiffRequest> of(DiffRequestChain chain) {
        return ((SimpleDiffRequestChain) chain).requests.stream().map(ContentDiffRequest.class::cast).toList();
    }
}
