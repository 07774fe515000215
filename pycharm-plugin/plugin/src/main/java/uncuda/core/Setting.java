package uncuda.core;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A setting of the server, as the server's table of settings declares it. The user's value is stored as text; an empty
 * text stands for the default. {@code key}: the name in the editor's settings; {@code name}: the name in configuration
 * files.
 */
public record Setting(String key, String name, String kind, Map<String, String> description, List<Choice> choices,
        String pattern, int most) {
    /** {@code value}: empty for the default. */
    public record Choice(String value, String en, String zh) {
    }

    /** All settings, in the order of the settings page; settings.json is generated from the server's table. */
    public static final List<Setting> ALL = read();

    private static List<Setting> read() {
        try (Reader text = new InputStreamReader(Setting.class.getResourceAsStream("/settings.json"), StandardCharsets.UTF_8)) {
            return List.of(new Gson().fromJson(text, Setting[].class));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public boolean isChoice() {
        return kind.equals("choice");
    }

    public String description(Messages messages) {
        return description.get(messages.isChinese() ? "zh" : "en");
    }

    public List<SettingValue> values(Messages messages) {
        return choices.stream().map(one -> new SettingValue(one.value, messages.isChinese() ? one.zh : one.en)).toList();
    }

    /** The error message for a text; empty if the text is valid. */
    public String problem(String text, Messages messages) {
        boolean isWrong = switch (kind) {
            case "integer", "object" -> value(text).equals(text);
            case "text" -> pattern != null && !text.matches(pattern);
            default -> false;
        };
        return text.isEmpty() || !isWrong ? "" : messages.get("settings.wrong." + kind, name, text, most);
    }

    /** The JSON value for a text. An invalid text is returned unchanged, because the server then says what is wrong. */
    Object value(String text) {
        return switch (kind) {
            case "integer" -> number(text);
            case "list" -> Arrays.stream(text.split(",")).map(String::strip).filter(one -> !one.isEmpty()).toList();
            case "object" -> object(text);
            default -> isChoice() && text.matches("true|false") ? (Object) Boolean.valueOf(text) : text;
        };
    }

    private Object number(String text) {
        try {
            int number = Integer.parseInt(text);
            return number < 1 || number > most ? text : (Object) number;
        } catch (NumberFormatException e) {
            return text;
        }
    }

    private static Object object(String text) {
        try {
            return JsonParser.parseString(text) instanceof JsonObject found ? found : text;
        } catch (JsonParseException e) {
            return text;
        }
    }
}
