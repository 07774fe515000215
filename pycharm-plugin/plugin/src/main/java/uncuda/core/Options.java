package uncuda.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the user has set. An empty text is a default. */
public record Options(String interpreter, String importStrategy, String target, String strategy, String locale) {
    public static final String BUNDLED = "useBundled";
    public static final String FROM_ENVIRONMENT = "fromEnvironment";
    public static final List<String> IMPORT_STRATEGIES = List.of(BUNDLED, FROM_ENVIRONMENT);
    public static final List<String> STRATEGIES = List.of("auto", "rewrite", "shim", "portable");
    public static final List<String> LOCALES = List.of("auto", "en", "zh");
    public static final Options DEFAULTS = new Options("", "", "", "", "");

    /** {@code interpreter}, tidied as people paste it: quotes and spaces around a path are not part of it. */
    public Options {
        interpreter = interpreter.strip().replaceAll("^\"(.*)\"$", "$1");
    }

    public boolean isBundled() {
        return !importStrategy.equals(FROM_ENVIRONMENT);
    }

    /** The section "uncuda" of the editor's settings; {@code ideLanguage} counts where the locale is left to us. */
    public Map<String, Object> forServer(String ideLanguage) {
        Map<String, Object> settings = new LinkedHashMap<>();
        put(settings, "target", target);
        put(settings, "strategy", strategy);
        put(settings, "locale", locale.isEmpty() || locale.equals("auto") ? ideLanguage : locale);
        return settings;
    }

    private static void put(Map<String, Object> settings, String key, String value) {
        if (!value.isEmpty()) {
            settings.put(key, value);
        }
    }
}
