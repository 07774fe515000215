package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingValueTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void everyValueHasWords(String language) {
        Messages messages = new Messages(Locale.forLanguageTag(language));
        check("import-strategy", Options.IMPORT_STRATEGIES, messages);
        check("strategy", Options.STRATEGIES, messages);
        check("locale", Options.LOCALES, messages);
    }

    private static void check(String setting, List<String> values, Messages messages) {
        List<SettingValue> found = SettingValue.of(setting, values, messages);
        assertEquals("", found.get(0).value());
        assertEquals(values.subList(1, values.size()), found.stream().skip(1).map(SettingValue::value).toList());
        for (SettingValue one : found) {
            assertEquals(one.text(), one.toString());
            assertFalse(values.contains(one.text()), one.text());
        }
    }

    @Test
    void targetsAreThoseOfTheBundleByTheirTitles() throws Exception {
        Path targets = Files.createDirectories(folder.resolve("server/libs/uncuda/rules/targets"));
        Bundle bundle = new Bundle(folder.resolve("lib/uncuda.jar"));
        Messages english = new Messages(Locale.ENGLISH);
        SettingValue none = new SettingValue("", english.get("choice.target"));
        assertEquals(List.of(none), bundle.targets(english));
        Files.writeString(targets.resolve("two.toml"), "# 2\ntitle = \"Number Two\"\ntitle-zh = \"二号\"\n");
        Files.writeString(targets.resolve("one.toml"), "[words]\n");
        Files.createFile(targets.resolve("README.md"));
        assertEquals(List.of(none, new SettingValue("one", "one"), new SettingValue("two", "Number Two (two)")),
                bundle.targets(english));
        assertEquals("二号 (two)", bundle.targets(new Messages(Locale.SIMPLIFIED_CHINESE)).get(2).text());
    }
}
