package uncuda.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The plugin's settings. An empty text stands for the default. {@code server}: the texts of the server's {@link
 * Setting}s by their keys.
 */
public record Options(String interpreter, String importStrategy, boolean fixesOnSave, Map<String, String> server) {
    public static final String BUNDLED = "useBundled";
    public static final String FROM_ENVIRONMENT = "fromEnvironment";
    public static final List<String> IMPORT_STRATEGIES = List.of(BUNDLED, FROM_ENVIRONMENT);
    public static final Options DEFAULTS = new Options("", "", false, Map.of());
    private static final String LOCALE = "locale";

    /** Remove quotes and spaces around the pasted path of the interpreter. */
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

    /**
     * The settings of the section "uncuda", which the server requests from editors. {@code ideLanguage} is used if the
     * user has set no locale.
     */
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
