package com.intellij.diff.requests;

public class SimpleDiffRequest extends com.intellij.diff.requests.ContentDiffRequest {
public SimpleDiffRequest(java.lang.String a0, com.intellij.diff.contents.DiffContent a1, com.intellij.diff.contents.DiffContent a2, java.lang.String a3, java.lang.String a4) { super(); com.intellij.Stub.call(this, "SimpleDiffRequest.new", (Object) a0, (Object) a1, (Object) a2, (Object) a3, (Object) a4); }
}
