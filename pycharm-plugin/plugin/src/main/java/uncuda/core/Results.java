package uncuda.core;

/** Shows the result of a command to the user. */
public final class Results {
    /** The ways in which the IDE can show a text. */
    public interface Screen {
        void tell(String text);

        /** {@code action}: the text of the button that runs {@code run}. */
        void offer(String title, String text, String action, Runnable run);

        /** Show a text in a new editor. */
        void open(String name, String text);
    }

    private Results() {
    }

    /** {@code result}: the result as the language client returns it; null if the server gave none in time. */
    public static void show(Commands command, Object result, Messages messages, Screen screen) {
        if (result == null) {
            screen.tell(messages.get("command.no-answer"));
            return;
        }
        Report report = Report.of(result);
        if (command.isPreview()) {
            if (report.diff().isEmpty()) {
                screen.tell(messages.get("command.no-fixes"));
            } else {
                screen.open("uncuda.patch", report.diff());
            }
        }
        showSkipped(result, command.isPreview(), messages, screen);
    }

    /** Show which files the fixes skipped, if any. */
    static void showSkipped(Object result, boolean preview, Messages messages, Screen screen) {
        Report report = Report.of(result);
        if (!report.skipped().isEmpty()) {
            screen.offer(messages.get("report.title"), report.summary(messages, preview), messages.get("report.show"),
                    () -> screen.open("uncuda.txt", report.ofSkipped(messages, preview)));
        }
    }
}
