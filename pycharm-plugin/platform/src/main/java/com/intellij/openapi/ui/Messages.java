package com.intellij.openapi.ui;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;
import javax.swing.Icon;

public class Messages {
    private Messages() {
    }

    public static String showInputDialog(Project project, String message, String title, Icon icon) {
        throw new Stub();
    }
}
