package com.intellij.openapi.options;

public class ConfigurationException extends Exception {
    private static final long serialVersionUID = 1;
}
