package uncuda.ide;

import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.fileEditor.FileDocumentManager;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.progress.ProgressManager;
import com.intellij.openapi.progress.Task;
import com.intellij.openapi.project.Project;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Runs work in the background with a progress bar that can be cancelled. No test runs this class, so it must stay
 * small.
 */
final class Background {
    private Background() {
    }

    /** Run {@code work} in the background, then {@code then} on the event thread. */
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
