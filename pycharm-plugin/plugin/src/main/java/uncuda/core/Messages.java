package uncuda.core;

import java.text.MessageFormat;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.ResourceBundle.Control;

/** The texts of the plugin in one language. */
public final class Messages {
    public static final String BUNDLE = "messages.UncudaBundle";
    private final ResourceBundle bundle;
    private final Locale locale;

    /** English is the bundle without a language: the machine's language must not come between. */
    public Messages(Locale locale) {
        this.locale = locale;
        bundle = ResourceBundle.getBundle(BUNDLE, locale, Messages.class.getClassLoader(),
                Control.getNoFallbackControl(Control.FORMAT_PROPERTIES));
    }

    /** {@code locale}: of the user's choice, or "auto" or empty for that of the IDE. */
    public static Messages of(String locale, Locale ide) {
        return new Messages(locale.isEmpty() || locale.equals("auto") ? ide : Locale.forLanguageTag(locale));
    }

    public boolean isChinese() {
        return bundle.getLocale().getLanguage().equals("zh");
    }

    /** Empty where there is none, as for what a later server says. */
    String find(String key) {
        return bundle.containsKey(key) ? get(key) : "";
    }

    public String get(String key, Object... arguments) {
        return new MessageFormat(bundle.getString(key), locale).format(arguments);
    }
}
