package com.intellij.diff.requests;

import com.intellij.diff.contents.DiffContent;
import java.util.List;

public abstract class ContentDiffRequest extends DiffRequest {
    public abstract List<String> getContentTitles();

    public abstract List<DiffContent> getContents();
}
