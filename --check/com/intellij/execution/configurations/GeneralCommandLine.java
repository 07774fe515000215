package com.intellij.execution.configurations;

public class GeneralCommandLine {
public GeneralCommandLine(java.util.List<java.lang.String> a0) { super(); com.intellij.Stub.call(this, "GeneralCommandLine.new", (Object) a0); }
public java.lang.ProcessBuilder toProcessBuilder() { return com.intellij.Stub.call(this, "GeneralCommandLine.toProcessBuilder"); }
public com.intellij.execution.configurations.GeneralCommandLine withCharset(java.nio.charset.Charset a0) { return com.intellij.Stub.call(this, "GeneralCommandLine.withCharset", (Object) a0); }
public com.intellij.execution.configurations.GeneralCommandLine withEnvironment(java.lang.String a0, java.lang.String a1) { return com.intellij.Stub.call(this, "GeneralCommandLine.withEnvironment", (Object) a0, (Object) a1); }
public com.intellij.execution.configurations.GeneralCommandLine withWorkDirectory(java.lang.String a0) { return com.intellij.Stub.call(this, "GeneralCommandLine.withWorkDirectory", (Object) a0); }
}
