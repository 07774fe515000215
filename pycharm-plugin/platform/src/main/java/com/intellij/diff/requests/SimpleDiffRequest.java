package com.intellij.diff.requests;

import com.intellij.diff.contents.DiffContent;
import java.util.List;

/** Implemented, not a stub: stores its arguments. */
public class SimpleDiffRequest extends ContentDiffRequest {
    private final String title;
    private final List<DiffContent> contents;
    private final List<String> titles;

    public SimpleDiffRequest(String title, DiffContent left, DiffContent right, String leftTitle, String rightTitle) {
        this.title = title;
        contents = List.of(left, right);
        titles = List.of(leftTitle, rightTitle);
    }

    @Override
    public String getTitle() {
        return title;
    }

    @Override
    public List<DiffContent> getContents() {
        return contents;
    }

    @Override
    public List<String> getContentTitles() {
        return titles;
    }
}
