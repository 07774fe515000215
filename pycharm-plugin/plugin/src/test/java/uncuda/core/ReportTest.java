package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonParser;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportTest {
    private static final Path FILE = Path.of("my file.py").toAbsolutePath();
    private static final Report.Left NOTHING = new Report.Left(0, 0, 0);
    private static final String RESULT = """
            {"applied": true, "files": 1200, "edits": 3, "byRule": {"cuda-api": 3}, "safe": 1, "review": 1300, "manual": 2,
             "skipped": [{"uri": "%s", "reason": "changed meanwhile"}, {"uri": "untitled:1", "reason": "not UTF-8"}]}
            """.formatted(FILE.toUri());

    @Test
    void everyFileThatWasLeftOutIsNamed() {
        Report report = Report.of(JsonParser.parseString(RESULT));
        assertEquals("""
                Fixed 3 places in 1,200 files; left out 2 files. Left: 1 safe, 1,300 to review, 2 by hand.

                %s: changed meanwhile
                untitled:1: not UTF-8
                """.formatted(FILE), report.ofSkipped(new Messages(Locale.ENGLISH), false));
        assertEquals("已在 1,200 个文件中修复 3 处；跳过 2 个文件。剩余：安全修复 1，需复核 1,300，需手动处理 2。",
                report.summary(new Messages(Locale.CHINESE), false));
        assertEquals("Would fix 3 places in 1,200 files; left out 2 files. Left: 1 safe, 1,300 to review, 2 by hand.",
                report.summary(new Messages(Locale.ENGLISH), true));
    }

    @Test
    void resultMayBeAnyTree() {
        assertEquals(new Report(2, 5, NOTHING, List.of(), "+new\n"),
                Report.of(Map.of("files", 2, "edits", 5, "skipped", List.of(), "diff", "+new\n")));
        assertEquals(new Report(0, 0, NOTHING, List.of(), ""), Report.of(null));
        assertEquals(new Report(0, 0, NOTHING, List.of(), ""), Report.of("text"));
        assertEquals("", Report.of(null).ofSkipped(new Messages(Locale.ENGLISH), false));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0 | Fixed 0 places in 0 files; left out 0 files. Left: 0 safe, 0 to review, 0 by hand.",
        "1 | Fixed 1 place in 1 file; left out 1 file. Left: 1 safe, 1 to review, 1 by hand.",
        "2 | Fixed 2 places in 2 files; left out 2 files. Left: 2 safe, 2 to review, 2 by hand.",
    })
    void oneIsNotMany(int number, String summary) {
        Report.Left left = new Report.Left(number, number, number);
        Report report = new Report(number, number, left, Collections.nCopies(number, new Report.Skipped("a", "b")), "");
        Messages english = new Messages(Locale.ENGLISH);
        assertEquals(summary, report.summary(english, false));
        assertEquals(summary.replace("Fixed", "Would fix"), report.summary(english, true));
    }

    @Test
    void fileOfAnotherSystemIsNamedAsItCame() {
        Report report = Report.of(JsonParser.parseString(
                "{\"skipped\": [{\"uri\": \"file://host/share/a b.py\", \"reason\": \"gone\"}]}"));
        assertEquals("file://host/share/a b.py", report.skipped().get(0).file());
    }
}
