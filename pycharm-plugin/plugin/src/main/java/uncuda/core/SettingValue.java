package uncuda.core;

import java.util.ArrayList;
import java.util.List;

/** A value of a setting as it is stored, and the text that the user sees for it. */
public record SettingValue(String value, String text) {
    /**
     * The values of a setting; the first is the default, which is stored as "". {@code setting}: a part of the keys of
     * the messages.
     */
    public static List<SettingValue> of(String setting, List<String> values, Messages messages) {
        List<SettingValue> found = new ArrayList<>();
        for (String value : values) {
            String text = messages.get("choice." + setting + "." + value);
            found.add(new SettingValue(found.isEmpty() ? "" : value, text));
        }
        return found;
    }

    /** The text that a list shows. */
    @Override
    public String toString() {
        return text;
    }
}
