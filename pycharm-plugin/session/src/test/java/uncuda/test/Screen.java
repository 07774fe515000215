package uncuda.test;

import com.intellij.diff.DiffContentFactory;
import com.intellij.diff.DiffDialogHints;
import com.intellij.diff.DiffManager;
import com.intellij.diff.DiffRequestPanel;
import com.intellij.diff.chains.DiffRequestChain;
import com.intellij.diff.contents.DiffContent;
import com.intellij.diff.contents.DocumentContent;
import com.intellij.diff.requests.DiffRequest;
import com.intellij.mock.MockApplication;
import com.intellij.openapi.Disposable;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.util.Key;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.openapi.wm.ToolWindow;
import com.intellij.openapi.wm.ToolWindowFactory;
import com.intellij.openapi.wm.ToolWindowManager;
import com.intellij.ui.content.Content;
import com.intellij.ui.content.ContentFactory;
import com.intellij.ui.content.ContentManager;
import java.awt.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.swing.JComponent;
import javax.swing.JPanel;
import javax.swing.SwingUtilities;

/** Stands for the IDE's tool window and diff viewer, and records what the plugin shows there; nothing is drawn. */
final class Screen implements ToolWindow, ContentManager, AutoCloseable {
    /** One side of a diff; {@code text} is null for the file itself. */
    record Compared(String text) implements DocumentContent {
        @Override
        public <T> T getUserData(Key<T> key) {
            return null;
        }

        @Override
        public <T> void putUserData(Key<T> key, T value) {
        }
    }

    /** One tab of the tool window. */
    private static final class Tab implements Content {
        private final JComponent component;
        private Disposable disposer;
        private JComponent focused;

        Tab(JComponent component) {
            this.component = component;
        }

        @Override
        public JComponent getComponent() {
            return component;
        }

        @Override
        public void setDisposer(Disposable disposer) {
            this.disposer = disposer;
        }

        @Override
        public void setPreferredFocusableComponent(JComponent component) {
            focused = component;
        }
    }

    final List<Answers.Diff> compared = new ArrayList<>();
    List<String> buttons = List.of();
    String title;
    private final List<Content> tabs = new ArrayList<>();
    private final MiniPlatform ide;

    Screen(MiniPlatform ide) {
        this.ide = ide;
        MockApplication application = (MockApplication) ApplicationManager.getApplication();
        application.registerService(ContentFactory.class, (component, name, lockable) -> {
            title = name;
            return new Tab(component);
        });
        application.registerService(DiffContentFactory.class, new DiffContentFactory() {
            @Override
            public DiffContent create(Project project, VirtualFile file) {
                return new Compared(null);
            }

            @Override
            public DocumentContent create(Project project, String text, VirtualFile file) {
                return new Compared(text);
            }
        });
        application.registerService(DiffManager.class, new DiffManager() {
            @Override
            public void showDiff(Project project, DiffRequestChain requests, DiffDialogHints hints) {
                compared.addAll(ide.answers.diffs(requests));
            }

            @Override
            public DiffRequestPanel createRequestPanel(Project project, Disposable parent, Window window) {
                Viewer viewer = new Viewer();
                Disposer.register(parent, viewer);
                return viewer;
            }
        });
        ide.project.registerService(ToolWindowManager.class, new ToolWindowManager() {
            @Override
            public ToolWindow getToolWindow(String id) {
                return id.equals("uncuda") ? Screen.this : null;
            }
        });
    }

    private final class Viewer implements DiffRequestPanel {
        private final JPanel component = new JPanel();

        @Override
        public JComponent getComponent() {
            return component;
        }

        @Override
        public void setRequest(DiffRequest request) {
            compared.add(ide.answers.diff(request));
        }

        @Override
        public void dispose() {
            compared.clear();
        }
    }

    /** Create the content as the IDE does when the window is first shown. */
    @Override
    public void activate(Runnable runnable) {
        if (tabs.isEmpty()) {
            try {
                ((ToolWindowFactory) Class.forName("uncuda.ide.PortWindow").getConstructor().newInstance())
                        .createToolWindowContent(ide.project, this);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        runnable.run();
    }

    @Override
    public ContentManager getContentManager() {
        return this;
    }

    @Override
    public void setTitleActions(List<? extends AnAction> actions) {
        buttons = actions.stream().map(Object::toString).toList();
    }

    @Override
    public void addContent(Content content) {
        tabs.add(content);
    }

    @Override
    public Content[] getContents() {
        return tabs.toArray(Content[]::new);
    }

    JComponent focused() {
        return ((Tab) tabs.get(0)).focused;
    }

    /** Dispose the content, as the IDE does when the project is closed. */
    @Override
    public void close() {
        tabs.forEach(tab -> Disposer.dispose(((Tab) tab).disposer));
        tabs.clear();
    }

    /** Call a function on the event thread and return its result. */
    static <T> T on(Callable<T> does) throws Exception {
        FutureTask<T> task = new FutureTask<>(does);
        SwingUtilities.invokeLater(task);
        return task.get(30, TimeUnit.SECONDS);
    }

    static void until(Callable<Boolean> holds, Callable<String> otherwise) throws Exception {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20); !on(holds);) {
            if (System.nanoTime() > end) {
                throw new AssertionError(on(otherwise));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}
