package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {
    private static final List<Map<String, String>> LEFT_OUT = List.of(Map.of("uri", "untitled:1", "reason", "not UTF-8"));

    /** Show a result; return one line for everything that the user sees, after pressing each offered button. */
    private static List<String> shown(Commands command, Object result) {
        List<String> shown = new ArrayList<>();
        Results.show(command, result, new Messages(Locale.ENGLISH), new Results.Screen() {
            @Override
            public void tell(String text) {
                shown.add("tell " + text);
            }

            @Override
            public void offer(String title, String text, String action, Runnable run) {
                shown.add("offer " + title + ": " + text + " " + action);
                run.run();
            }

            @Override
            public void open(String name, String text) {
                shown.add("open " + name + ": " + text);
            }
        });
        return shown;
    }

    @Test
    void whatWentWellIsToldByTheServerAlone() {
        assertEquals(List.of(), shown(Commands.FIX_ALL_IN_PROJECT, Map.of("files", 3, "edits", 4)));
        assertEquals(List.of(), shown(Commands.SWITCH_TARGET, Map.of("target", "musa")));
    }

    @Test
    void filesThatWereLeftOutCanBeRead() {
        assertEquals(List.of(
                "offer uncuda left files out: Fixed 4 places in 3 files; left out 1 file. "
                        + "Left: 0 safe, 0 to review, 0 by hand. Show them",
                "open uncuda.txt: Fixed 4 places in 3 files; left out 1 file. "
                        + "Left: 0 safe, 0 to review, 0 by hand.\n\nuntitled:1: not UTF-8\n"),
                shown(Commands.FIX_ALL_IN_PROJECT, Map.of("files", 3, "edits", 4, "skipped", LEFT_OUT)));
    }

    @Test
    void previewIsADiffAndSaysWhatItLacks() {
        assertEquals(List.of("tell Nothing to fix."), shown(Commands.PREVIEW_FIX_ALL_IN_PROJECT, Map.of("diff", "")));
        List<String> both = shown(Commands.PREVIEW_FIX_ALL_IN_PROJECT,
                Map.of("files", 1, "edits", 1, "diff", "+new\n", "skipped", LEFT_OUT));
        assertEquals("open uncuda.patch: +new\n", both.get(0));
        assertEquals("offer uncuda left files out: Would fix 1 place in 1 file; left out 1 file. "
                + "Left: 0 safe, 0 to review, 0 by hand. Show them", both.get(1));
    }

    @Test
    void serverThatGivesNoAnswerIsSaid() {
        assertEquals(List.of("tell The language server gave no answer; its log says more."),
                shown(Commands.FIX_ALL_IN_FILE, null));
    }
}
