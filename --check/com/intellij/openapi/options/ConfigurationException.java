package com.intellij.openapi.options;

public class ConfigurationException extends java.lang.Exception {
public ConfigurationException(java.lang.String a0) { super(a0); com.intellij.Stub.call(this, "ConfigurationException.new", (Object) a0); }
}
