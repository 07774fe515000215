package uncuda.ide;

import com.intellij.notification.Notification;
import com.intellij.notification.NotificationAction;
import com.intellij.notification.NotificationGroupManager;
import com.intellij.notification.NotificationType;
import com.intellij.openapi.actionSystem.ActionManager;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.ide.CopyPasteManager;
import com.intellij.openapi.options.ShowSettingsUtil;
import com.intellij.openapi.project.Project;
import com.intellij.platform.lsp.api.LspServerManager;
import java.awt.datatransfer.StringSelection;
import uncuda.core.Messages;
import uncuda.core.Start;

/** Shows balloons to the user, with buttons for what the user can do. */
final class Balloons {
    private Balloons() {
    }

    static void notStarted(Project project, Start.Failure failure) {
        Messages messages = UncudaSettings.of(project).messages();
        Notification balloon = create(messages.get("failure.title"), failure.getMessage(), NotificationType.ERROR);
        addSettings(balloon, project, messages);
        if (!failure.installCommand().isEmpty()) {
            balloon.addAction(NotificationAction.createSimple(messages.get("failure.copy"), () ->
                    CopyPasteManager.getInstance().setContents(new StringSelection(failure.installCommand()))));
        }
        addLog(balloon).notify(project);
    }

    static void stopped(Project project) {
        Messages messages = UncudaSettings.of(project).messages();
        Notification balloon = create("uncuda", messages.get("failure.stopped"), NotificationType.ERROR);
        balloon.addAction(NotificationAction.createSimpleExpiring(messages.get("failure.restart"), () ->
                LspServerManager.getInstance(project).stopAndRestartIfNeeded(UncudaLspProvider.class)));
        addSettings(balloon, project, messages);
        addLog(balloon).notify(project);
    }

    static Notification create(String title, String text, NotificationType type) {
        return NotificationGroupManager.getInstance().getNotificationGroup("uncuda")
                .createNotification(title, text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>"), type);
    }

    private static void addSettings(Notification balloon, Project project, Messages messages) {
        balloon.addAction(NotificationAction.createSimple(messages.get("failure.settings"), () ->
                ShowSettingsUtil.getInstance().showSettingsDialog(project, UncudaConfigurable.class)));
    }

    /** Add the IDE's own action Show Log, if the IDE has it. */
    private static Notification addLog(Notification balloon) {
        AnAction showLog = ActionManager.getInstance().getAction("ShowLog");
        return showLog == null ? balloon : balloon.addAction(showLog);
    }
}
