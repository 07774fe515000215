package com.intellij.openapi.fileEditor;

/** The file and the offset that were opened last, for tests; once. */
public record Opened(String file, int offset) {
    public static Opened last() {
        OpenFileDescriptor last = OpenFileDescriptor.last;
        OpenFileDescriptor.last = null;
        return last == null ? null : new Opened(last.file.getName(), last.offset);
    }
}
