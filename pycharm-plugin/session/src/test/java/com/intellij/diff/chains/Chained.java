package com.intellij.diff.chains;

import com.intellij.diff.requests.ContentDiffRequest;
import java.util.List;

/** What the plugin put into a chain. */
public final class Chained {
    private Chained() {
    }

    public static List<ContentDiffRequest> of(DiffRequestChain chain) {
        return ((SimpleDiffRequestChain) chain).requests.stream().map(ContentDiffRequest.class::cast).toList();
    }
}
