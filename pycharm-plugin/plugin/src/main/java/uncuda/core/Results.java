package uncuda.core;

/** What becomes of the result of a command. */
public final class Results {
    /** What an IDE can do with texts. */
    public interface Screen {
        void tell(String text);

        /** {@code action}: what the user can click, for which {@code run} is run. */
        void offer(String title, String text, String action, Runnable run);

        /** Shows a text in an editor of its own. */
        void open(String name, String text);
    }

    private Results() {
    }

    /** @param result as the language client hands it over; null where the server gave none, or gave up */
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

    /** The files that were left out of fixes, if any were. */
    static void showSkipped(Object result, boolean preview, Messages messages, Screen screen) {
        Report report = Report.of(result);
        if (!report.skipped().isEmpty()) {
            screen.offer(messages.get("report.title"), report.summary(messages, preview), messages.get("report.show"),
                    () -> screen.open("uncuda.txt", report.ofSkipped(messages, preview)));
        }
    }
}
