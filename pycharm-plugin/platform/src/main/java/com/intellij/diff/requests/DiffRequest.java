package com.intellij.diff.requests;

import com.intellij.openapi.util.Key;
import com.intellij.openapi.util.UserDataHolder;
import java.util.HashMap;
import java.util.Map;

/** Implemented, not a stub: stores its arguments. */
public abstract class DiffRequest implements UserDataHolder {
    private final Map<Key<?>, Object> data = new HashMap<>();

    public abstract String getTitle();

    @Override
    @SuppressWarnings("unchecked") // it was given by the same key
    public <T> T getUserData(Key<T> key) {
        return (T) data.get(key);
    }

    @Override
    public <T> void putUserData(Key<T> key, T value) {
        data.put(key, value);
    }
}
