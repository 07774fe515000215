package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.text.MessageFormat;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.ResourceBundle.Control;
import org.junit.jupiter.api.Test;

class MessagesTest {
    private static ResourceBundle bundle(Locale locale) {
        return ResourceBundle.getBundle(
                Messages.BUNDLE, locale, Control.getNoFallbackControl(Control.FORMAT_PROPERTIES));
    }

    @Test
    void bothLanguagesHaveTheSameTextsWithTheSameArguments() {
        ResourceBundle english = bundle(Locale.ROOT), chinese = bundle(Locale.CHINESE);
        assertEquals(Locale.CHINESE, chinese.getLocale());
        assertEquals(english.keySet(), chinese.keySet());
        for (String key : english.keySet()) {
            assertFalse(english.getString(key).isBlank(), key);
            assertFalse(english.getString(key).contains("'"), key);
            assertEquals(new MessageFormat(english.getString(key)).getFormatsByArgumentIndex().length,
                    new MessageFormat(chinese.getString(key)).getFormatsByArgumentIndex().length, key);
        }
    }

    @Test
    void chosenLanguageComesBeforeThatOfTheIdeAndOfTheMachine() {
        Locale machine = Locale.getDefault();
        try {
            Locale.setDefault(Locale.SIMPLIFIED_CHINESE);
            assertEquals("Restart", Messages.of("", Locale.ENGLISH).get("failure.restart"));
            assertEquals("Restart", Messages.of("en", Locale.SIMPLIFIED_CHINESE).get("failure.restart"));
            assertEquals("重启", Messages.of("auto", Locale.SIMPLIFIED_CHINESE).get("failure.restart"));
        } finally {
            Locale.setDefault(machine);
        }
    }
}
