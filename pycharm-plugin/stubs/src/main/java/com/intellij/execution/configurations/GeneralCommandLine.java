package com.intellij.execution.configurations;

import com.intellij.Stub;
import java.nio.charset.Charset;
import java.util.List;

public class GeneralCommandLine {
    public GeneralCommandLine(List<String> command) {
        throw new Stub();
    }

    public GeneralCommandLine withEnvironment(String key, String value) {
        throw new Stub();
    }

    public GeneralCommandLine withCharset(Charset charset) {
        throw new Stub();
    }

    public GeneralCommandLine withWorkDirectory(String path) {
        throw new Stub();
    }

    public String getExePath() {
        throw new Stub();
    }

    public ProcessBuilder toProcessBuilder() {
        throw new Stub();
    }
}
