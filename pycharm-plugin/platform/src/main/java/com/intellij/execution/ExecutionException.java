package com.intellij.execution;

public class ExecutionException extends Exception {
    private static final long serialVersionUID = 1;

    public ExecutionException(String message) {
        super(message);
    }
}
