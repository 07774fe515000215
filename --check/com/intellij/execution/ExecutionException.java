package com.intellij.execution;

public class ExecutionException extends java.lang.Exception {
public ExecutionException(java.lang.String a0) { super(a0); com.intellij.Stub.call(this, "ExecutionException.new", (Object) a0); }
}
