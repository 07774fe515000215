package com.intellij.ide.actionsOnSave.impl;

public final class ActionsOnSaveFileDocumentManagerListener {
ActionsOnSaveFileDocumentManagerListener() { super(); }
public static abstract class ActionOnSave {
public ActionOnSave() { super(); com.intellij.Stub.call(this, "ActionOnSave.new"); }
public boolean isEnabledForProject(com.intellij.openapi.project.Project a0) { return com.intellij.Stub.call(this, "ActionOnSave.isEnabledForProject", (Object) a0); }
public void processDocuments(com.intellij.openapi.project.Project a0, com.intellij.openapi.editor.Document[] a1) { com.intellij.Stub.call(this, "ActionOnSave.processDocuments", (Object) a0, (Object) a1); }
}

}
