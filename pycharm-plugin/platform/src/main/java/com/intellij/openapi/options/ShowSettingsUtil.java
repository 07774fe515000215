package com.intellij.openapi.options;

import com.intellij.Stub;
import com.intellij.openapi.project.Project;

public abstract class ShowSettingsUtil {
    public static ShowSettingsUtil getInstance() {
        throw new Stub();
    }

    public abstract <T extends Configurable> void showSettingsDialog(Project project, Class<T> configurableClass);
}
