package uncuda.core;

import java.text.MessageFormat;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.ResourceBundle.Control;

/** The plugin's texts in one language. */
public final class Messages {
    public static final String BUNDLE = "messages.UncudaBundle";
    private final ResourceBundle bundle;
    private final Locale locale;

    /**
     * The texts for a locale. English texts are the bundle without a language, so without a match the language of the
     * machine must not be tried.
     */
    public Messages(Locale locale) {
        this.locale = locale;
        bundle = ResourceBundle.getBundle(BUNDLE, locale, Messages.class.getClassLoader(),
                Control.getNoFallbackControl(Control.FORMAT_PROPERTIES));
    }

    /** {@code locale}: the locale that the user has set; with "auto" or "" the locale of the IDE is used. */
    public static Messages of(String locale, Locale ide) {
        return new Messages(locale.isEmpty() || locale.equals("auto") ? ide : Locale.forLanguageTag(locale));
    }

    public boolean isChinese() {
        return bundle.getLocale().getLanguage().equals("zh");
    }

    /** The text of a key; empty if there is none, as for a key that a later server sends. */
    String find(String key) {
        return bundle.containsKey(key) ? get(key) : "";
    }

    public String get(String key, Object... arguments) {
        return new MessageFormat(bundle.getString(key), locale).format(arguments);
    }
}
