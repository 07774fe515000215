package com.intellij;

/** What every stub body throws: a stub is a signature, never behaviour. */
public final class Stub extends UnsupportedOperationException {
    private static final long serialVersionUID = 1;

    public Stub() {
        super("signature stub");
    }
}
