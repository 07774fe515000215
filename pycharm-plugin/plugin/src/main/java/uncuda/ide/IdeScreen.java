package uncuda.ide;

import com.intellij.notification.NotificationAction;
import com.intellij.notification.NotificationType;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.fileEditor.FileEditorManager;
import com.intellij.openapi.project.Project;
import com.intellij.testFramework.LightVirtualFile;
import uncuda.core.Results;

/** Balloons and editors of a project, for results; may be called from any thread. */
record IdeScreen(Project project) implements Results.Screen {
    @Override
    public void tell(String text) {
        Balloons.create("uncuda", text, NotificationType.INFORMATION).notify(project);
    }

    @Override
    public void offer(String title, String text, String action, Runnable run) {
        Balloons.create(title, text, NotificationType.WARNING)
                .addAction(NotificationAction.createSimple(action, run)).notify(project);
    }

    /** Of no file, so what is typed there could be saved nowhere: it is not writable. */
    @Override
    public void open(String name, String text) {
        LightVirtualFile file = new LightVirtualFile(name, text);
        file.setWritable(false);
        ApplicationManager.getApplication().invokeLater(
                () -> FileEditorManager.getInstance(project).openFile(file, true), project.getDisposed());
    }
}
