package uncuda.test;

import com.intellij.Stub;
import com.intellij.Stub.Call;
import com.intellij.diff.contents.DiffContent;
import com.intellij.notification.Notification;
import com.intellij.notification.NotificationAction;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.actionSystem.AnActionEvent;
import com.intellij.openapi.actionSystem.DataKey;
import com.intellij.openapi.actionSystem.Presentation;
import com.intellij.openapi.fileEditor.OpenFileDescriptor;
import com.intellij.openapi.module.Module;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.openapi.vfs.VirtualFileManager;
import java.io.File;
import java.lang.reflect.Constructor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.lsp4j.ClientCapabilities;

/**
 * What the methods of the platform do in these tests; those that are not named here throw an exception. All calls are
 * remembered.
 */
final class Answers {
    record Balloon(String title, String content, List<String> actions, List<Runnable> run) {
    }

    /** A file beside its fixed text, as it is given to the IDE's diff viewer. */
    record Diff(String title, DiffContent fixed, List<String> titles, Map<Object, Object> data) {
    }

    record Opened(String file, int offset) {
    }

    /** An action whose text is its name. */
    static final class Named extends NotificationAction {
        private final String name;
        private final Runnable run;

        Named(String name, Runnable run) {
            this.name = name;
            this.run = run;
        }

        @Override
        public void actionPerformed(AnActionEvent e) {
            run.run();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private final Map<Object, List<Call>> calls = Collections.synchronizedMap(new IdentityHashMap<>());
    private final List<Notification> shown = new CopyOnWriteArrayList<>();
    private volatile OpenFileDescriptor opened;

    Answers() {
        Stub.answers = this::answer;
    }

    private Object answer(Call call) {
        Object on = call.on();
        List<Object> given = call.arguments();
        if (on != null) {
            calls.computeIfAbsent(on, any -> new CopyOnWriteArrayList<>()).add(call);
        }
        return switch (call.name()) {
            case "AnActionEvent.getData" -> ((Map<?, ?>) made(on).get(1)).get(given.get(0));
            case "AnActionEvent.getPresentation" -> made(on).get(2);
            case "AnActionEvent.getProject", "LspClientDescriptor.getProject" -> made(on).get(0);
            case "DiffRequest.putUserData", "Presentation.setEnabled", "Presentation.setEnabledAndVisible" -> null;
            case "GeneralCommandLine.toProcessBuilder" -> process(on);
            case "GeneralCommandLine.withCharset", "GeneralCommandLine.withEnvironment",
                    "GeneralCommandLine.withWorkDirectory", "Notification.addAction" -> on;
            case "JsonSchemaProviderFactory.getResourceFile" -> inJar((Class<?>) given.get(0), (String) given.get(1));
            case "LspClientDescriptor.getClientCapabilities" -> new ClientCapabilities();
            case "ModuleUtilCore.findModuleForFile" -> ((Project) given.get(1)).getService(Module.class);
            case "Notification.notify" -> shown.add((Notification) on);
            case "NotificationAction.createSimple", "NotificationAction.createSimpleExpiring" ->
                new Named((String) given.get(0), (Runnable) given.get(1));
            case "NotificationGroup.createNotification" -> make(Notification.class, given.toArray());
            case "OpenFileDescriptor.navigate" -> opened = (OpenFileDescriptor) on;
            default -> {
                if (!call.name().endsWith(".new")) {
                    throw new UnsupportedOperationException(call.name());
                }
                yield null;
            }
        };
    }

    /** Create an object of the platform that the plugin only gets from the IDE. */
    <T> T make(Class<T> type, Object... arguments) {
        try {
            Constructor<T> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            T made = constructor.newInstance();
            answer(new Call(made, type.getSimpleName() + ".new", List.of(arguments)));
            return made;
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Return the arguments of each call of a method whose name starts with {@code name}, of an object. */
    private Stream<List<Object>> of(Object on, String name) {
        return calls.getOrDefault(on, List.of()).stream().filter(call -> call.name().contains("." + name)).map(Call::arguments);
    }

    /** Return the arguments with which an object was created; its superclasses' constructors were called before. */
    private List<Object> made(Object on) {
        return of(on, "new").reduce((first, last) -> last).orElseThrow();
    }

    private ProcessBuilder process(Object line) {
        ProcessBuilder builder = new ProcessBuilder(((List<?>) made(line).get(0)).stream().map(String.class::cast).toList());
        of(line, "withEnvironment").forEach(one -> builder.environment().put((String) one.get(0), (String) one.get(1)));
        of(line, "withWorkDirectory").forEach(one -> builder.directory(new File((String) one.get(0))));
        return builder;
    }

    private static VirtualFile inJar(Class<?> type, String path) {
        return VirtualFileManager.getInstance().findFileByUrl(type.getResource(path).toString().replaceFirst("^jar:file:", "jar://"));
    }

    /** The balloons that the plugin has shown. */
    List<Balloon> balloons() {
        return shown.stream().map(one -> {
            List<AnAction> actions = of(one, "addAction").map(given -> (AnAction) given.get(0)).toList();
            return new Balloon((String) made(one).get(0), (String) made(one).get(1), actions.stream().map(Object::toString).toList(),
                    actions.stream().map(action -> (Runnable) () -> action.actionPerformed(null)).toList());
        }).toList();
    }

    /** Return the file that the plugin opened last, once. */
    Opened opened() {
        OpenFileDescriptor last = opened;
        opened = null;
        return last == null ? null : new Opened(((VirtualFile) made(last).get(1)).getName(), (int) made(last).get(2));
    }

    Diff diff(Object request) {
        List<Object> made = made(request);
        return new Diff((String) made.get(0), (DiffContent) made.get(2), List.of((String) made.get(3), (String) made.get(4)),
                of(request, "putUserData").collect(Collectors.toMap(given -> given.get(0), given -> given.get(1))));
    }

    /** Return the requests of a chain. */
    List<Diff> diffs(Object chain) {
        return ((List<?>) made(chain).get(0)).stream().map(this::diff).toList();
    }

    /** Create the event of an action. */
    AnActionEvent event(Project project, Map<DataKey<?>, ?> data) {
        return make(AnActionEvent.class, project, data, make(Presentation.class));
    }

    /** Return whether the menu shows the action, and it is enabled. */
    boolean isEnabled(AnAction action, Project project, Map<DataKey<?>, ?> data) {
        AnActionEvent event = event(project, data);
        action.update(event);
        return of(event.getPresentation(), "setEnabled").map(given -> (boolean) given.get(0)).reduce((first, last) -> last).orElse(true);
    }
}
