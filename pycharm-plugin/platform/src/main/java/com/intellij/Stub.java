package com.intellij;

/** Thrown by every method of a stub: a stub only declares signatures and implements nothing. */
public final class Stub extends UnsupportedOperationException {
    private static final long serialVersionUID = 1;

    public Stub() {
        super("signature stub");
    }
}
