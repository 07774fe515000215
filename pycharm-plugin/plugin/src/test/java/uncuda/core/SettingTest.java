package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTest {
    private static Setting of(String name) {
        return Setting.ALL.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"en", "zh"})
    void everySettingAndValueHasWords(String language) {
        Messages messages = new Messages(Locale.forLanguageTag(language));
        for (Setting setting : Setting.ALL) {
            assertFalse(setting.description(messages).isEmpty(), setting.name());
            assertEquals(setting.isChoice(), setting.choices() != null);
            if (setting.isChoice()) {
                List<SettingValue> values = setting.values(messages);
                assertEquals("", values.get(0).value());
                values.forEach(one -> assertFalse(one.text().isEmpty(), setting.name()));
                assertEquals(values.size(), values.stream().map(SettingValue::value).distinct().count());
            }
        }
        List<SettingValue> servers = SettingValue.of("import-strategy", Options.IMPORT_STRATEGIES, messages);
        assertEquals(List.of("", Options.FROM_ENVIRONMENT), servers.stream().map(SettingValue::value).toList());
        assertFalse(servers.get(0).toString().equals(Options.BUNDLED));
    }

    @Test
    void textsBecomeWhatTheServerReads() {
        assertEquals(List.of("npu", "musa"), of("portable-targets").value(" npu, musa,"));
        assertEquals(7, of("max-depth").value("7"));
        assertEquals(true, of("receivers").value("true"));
        assertEquals("auto", of("workspace-diagnostics").value("auto"));
        assertEquals(false, of("workspace-diagnostics").value("false"));
        assertEquals(JsonParser.parseString("{'tf32': 'error'}"), of("severity").value("{\"tf32\": \"error\"}"));
        assertEquals("2.7.1", of("torch-version").value("2.7.1"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"max-depth | 0", "max-depth | 151", "max-depth | many", "target-version | 2.x",
        "severity | tf32", "severity | [1]", "portable-helper | my package"})
    void whatIsOfNoUseIsSaidAndSentAsItStands(String name, String text) {
        String problem = of(name).problem(text, new Messages(Locale.ENGLISH));
        assertTrue(problem.contains(name) && problem.contains(text), problem);
        assertEquals(text, of(name).value(text));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"max-depth | 150", "target-version | 2.7.1.post2", "severity | {}", "exclude | build, !dist",
        "target | npu", "portable-helper | mypackage.device", "max-depth | ''"})
    void whatIsOfUseIsNoProblem(String name, String text) {
        assertEquals("", of(name).problem(text, new Messages(Locale.ENGLISH)));
    }
}
