package uncuda.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the user has set. An empty text is a default; {@code server}: texts of {@link Setting}s by their keys. */
public record Options(String interpreter, String importStrategy, boolean fixesOnSave, Map<String, String> server) {
    public static final String BUNDLED = "useBundled";
    public static final String FROM_ENVIRONMENT = "fromEnvironment";
    public static final List<String> IMPORT_STRATEGIES = List.of(BUNDLED, FROM_ENVIRONMENT);
    public static final Options DEFAULTS = new Options("", "", false, Map.of());
    private static final String LOCALE = "locale";

    /** {@code interpreter}, tidied as people paste it: quotes and spaces around a path are not part of it. */
    public Options {
        interpreter = interpreter.strip().replaceAll("^\"(.*)\"$", "$1");
        server = Map.copyOf(server);
    }

    public boolean isBundled() {
        return !importStrategy.equals(FROM_ENVIRONMENT);
    }

    public String locale() {
        return server.getOrDefault(LOCALE, "");
    }

    /** The section "uncuda" of the editor's settings; {@code ideLanguage} counts where the locale is left to us. */
    public Map<String, Object> forServer(String ideLanguage) {
        Map<String, Object> settings = new LinkedHashMap<>();
        for (Setting setting : Setting.ALL) {
            String text = server.getOrDefault(setting.key(), "");
            if (setting.key().equals(LOCALE) && (text.isEmpty() || text.equals("auto"))) {
                text = ideLanguage;
            }
            if (!text.isEmpty()) {
                settings.put(setting.key(), setting.value(text));
            }
        }
        return settings;
    }
}
