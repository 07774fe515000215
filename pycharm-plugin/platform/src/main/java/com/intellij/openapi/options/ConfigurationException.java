package com.intellij.openapi.options;

/** Implemented, not a stub: an exception. */
public class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1;

    public ConfigurationException(String message) {
        super(message);
    }
}
