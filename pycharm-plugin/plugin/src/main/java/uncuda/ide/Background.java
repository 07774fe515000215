package uncuda.ide;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.progress.Task;
import com.intellij.openapi.project.Project;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Work with a progress that can be cancelled. No test here runs this class: no more belongs into it. */
final class Background {
    private Background() {
    }

    /** Does {@code work}, and then {@code then} on the event thread. */
    static void run(Project project, boolean savesFirst, Supplier<Object> work, Consumer<Object> then) {
        if (savesFirst) {
            FileDocumentManager.getInstance().saveAllDocuments();
        }
        String title = UncudaSettings.of(project).messages().get("command.running");
        ProgressManager.getInstance().run(new Task.Backgroundable(project, title, true) {
            @Override
            public void run(ProgressIndicator indicator) {
                Object result = work.get();
                ApplicationManager.getApplication().invokeLater(() -> then.accept(result), project.getDisposed());
            }
        });
    }
}
