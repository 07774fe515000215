package com.intellij.openapi.util;

public final class IconLoader {
public static javax.swing.Icon getIcon(java.lang.String a0, java.lang.Class<?> a1) { return com.intellij.Stub.call(null, "IconLoader.getIcon", (Object) a0, (Object) a1); }
IconLoader() { super(); }
}
