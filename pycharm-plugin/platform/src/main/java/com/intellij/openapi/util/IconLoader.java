package com.intellij.openapi.util;

import com.intellij.Stub;
import javax.swing.Icon;

public final class IconLoader {
    private IconLoader() {
    }

    public static Icon getIcon(String path, Class<?> resourceOwner) {
        throw new Stub();
    }
}
