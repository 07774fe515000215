package com.intellij.openapi.fileEditor;

/** Returns the file and the offset that were opened last, once, for tests. */
public record Opened(String file, int offset) {
    public static Opened last() {
        OpenFileDescriptor last = OpenFileDescriptor.last;
        OpenFileDescriptor.last = null;
        return last == null ? null : new Opened(last.file.getName(), last.offset);
    }
}
