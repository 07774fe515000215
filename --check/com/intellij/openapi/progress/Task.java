package com.intellij.openapi.progress;

public abstract class Task implements com.intellij.openapi.progress.TaskInfo, com.intellij.openapi.progress.Progressive {
public Task() { super(); }
public static abstract class Backgroundable extends com.intellij.openapi.progress.Task {
public Backgroundable(com.intellij.openapi.project.Project a0, java.lang.String a1, boolean a2) { super(); com.intellij.Stub.call(this, "Backgroundable.new", (Object) a0, (Object) a1, (Object) a2); }
}

}
