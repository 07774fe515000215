package com.intellij.diff.requests;

public abstract class ContentDiffRequest extends com.intellij.diff.requests.DiffRequest {
public ContentDiffRequest() { super(); }
}
