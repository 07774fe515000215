package com.intellij.notification;

import com.intellij.mock.MockApplication;
import java.util.ArrayList;
import java.util.List;

/** Records the balloons that the plugin shows, for tests. */
public final class Shown implements NotificationGroupManager {
    public record Balloon(String title, String content, List<String> actions, List<Runnable> run) {
    }

    private final NotificationGroup group = new NotificationGroup();

    public static Shown in(MockApplication application) {
        Shown shown = new Shown();
        application.registerService(NotificationGroupManager.class, shown);
        return shown;
    }

    @Override
    public NotificationGroup getNotificationGroup(String groupId) {
        if (!groupId.equals("uncuda")) {
            throw new AssertionError("plugin.xml declares no group " + groupId);
        }
        return group;
    }

    public List<Balloon> balloons() {
        return group.shown.stream().map(one -> new Balloon(one.title, one.content,
                one.actions.stream().map(Object::toString).toList(), run(one))).toList();
    }

    private static List<Runnable> run(Notification one) {
        List<Runnable> found = new ArrayList<>();
        one.actions.forEach(action -> found.add(() -> action.actionPerformed(null)));
        return found;
    }
}
