package uncuda.ide;

import com.intellij.openapi.Disposable;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.components.PersistentStateComponent;
import com.intellij.openapi.components.State;
import com.intellij.openapi.components.Storage;
import com.intellij.openapi.project.Project;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import uncuda.core.Port;

/** Holds the Port of a project; what the user chose to see is stored in the project's workspace file. */
@State(name = "UncudaPort", storages = @Storage("$WORKSPACE_FILE$"))
public final class ProjectPort implements PersistentStateComponent<Port.Memory>, Disposable {
    /** One thread, so that requests are sent one after the other; the thread ends when it has been idle for a while. */
    private final ThreadPoolExecutor background = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), work -> {
                Thread thread = new Thread(work, "uncuda port");
                thread.setDaemon(true);
                return thread;
            }, new ThreadPoolExecutor.DiscardPolicy());
    private final Project project;
    private Port.Memory memory = new Port.Memory();
    private Port port;

    public ProjectPort(Project project) {
        this.project = project;
        background.allowCoreThreadTimeOut(true);
    }

    /** Called when the project is closed: running requests are interrupted, and no more are sent. */
    @Override
    public void dispose() {
        background.shutdownNow();
    }

    static Port of(Project project) {
        return project.getService(ProjectPort.class).port();
    }

    private synchronized Port port() {
        if (port == null) {
            Executor screen = work ->
                    ApplicationManager.getApplication().invokeLater(work, project.getDisposed());
            port = new Port(new ProjectServer(project), background, screen, new IdeScreen(project), memory,
                    () -> UncudaSettings.of(project).messages());
        }
        return port;
    }

    @Override
    public Port.Memory getState() {
        return memory;
    }

    /** Called before the port is first used: the IDE loads the state when it creates the service. */
    @Override
    public void loadState(Port.Memory state) {
        memory = state;
    }
}
