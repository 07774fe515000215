package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsTest {
    @Test
    void nothingSetIsNothingSent() {
        assertEquals(Map.of(), Options.DEFAULTS.forServer(""));
        assertTrue(Options.DEFAULTS.isBundled());
    }

    @Test
    void languageOfTheIdeCountsUntilOneIsChosen() {
        assertEquals(Map.of("locale", "zh"), Options.DEFAULTS.forServer("zh"));
        Options english = new Options(" \"C:\\my env\\python.exe\" ", Options.FROM_ENVIRONMENT, false,
                Map.of("target", "npu", "strategy", "shim", "locale", "en", "ofALaterVersion", "x"));
        assertEquals(Map.of("target", "npu", "strategy", "shim", "locale", "en"), english.forServer("zh"));
        assertEquals("C:\\my env\\python.exe", english.interpreter());
        assertFalse(english.isBundled());
    }

    @Test
    void commandsHaveWhatTheServerNeeds() {
        assertEquals(List.of(Map.of("uri", "file:///a.py")), Commands.FIX_ALL_IN_FILE.arguments("file:///a.py"));
        assertEquals(List.of(Map.of("uri", "file:///a.py", "quiet", true)), Commands.FIX_ON_SAVE.arguments("file:///a.py"));
        assertEquals(List.of(), Commands.FIX_ALL_IN_PROJECT.arguments(""));
        assertEquals(List.of(Map.of("applicability", "review", "dryRun", true)),
                Commands.PREVIEW_FIX_ALL_IN_PROJECT.arguments(""));
    }

    /** The server knows the text of open documents; only files that no editor shows must be saved for a command. */
    @Test
    void onlyFixesOfClosedFilesSave() {
        assertEquals(List.of(Commands.FIX_ALL_IN_PROJECT, Commands.FIX_ALL_HERE),
                Arrays.stream(Commands.values()).filter(Commands::savesFirst).toList());
    }
}
