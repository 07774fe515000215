package uncuda.core;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a command of the server that fixes gave back. The server itself shows a summary; here is the rest. */
public record Report(int files, int edits, Left left, List<Skipped> skipped, String diff) {
    /** What is left, by the class of its best fix: findings with a safe one, with one to review, without any. */
    public record Left(int safe, int review, int manual) {
    }

    public record Skipped(String file, String reason) {
    }

    /** @param result as the language client hands it over: some tree of JSON, or null without an answer */
    public static Report of(Object result) {
        JsonObject object = tree(result);
        List<Skipped> skipped = new ArrayList<>();
        JsonElement leftOut = object.get("skipped");
        for (JsonElement item : leftOut == null ? new JsonArray() : leftOut.getAsJsonArray()) {
            JsonObject one = item.getAsJsonObject();
            skipped.add(new Skipped(path(one.get("uri").getAsString()), one.get("reason").getAsString()));
        }
        JsonElement diff = object.get("diff");
        Left left = new Left(number(object, "safe"), number(object, "review"), number(object, "manual"));
        return new Report(number(object, "files"), number(object, "edits"), left, skipped,
                diff == null ? "" : diff.getAsString());
    }

    /** What a language client hands over, be it null or no object. */
    static JsonObject tree(Object result) {
        JsonElement tree = new Gson().toJsonTree(result);
        return tree.isJsonObject() ? tree.getAsJsonObject() : new JsonObject();
    }

    private static int number(JsonObject object, String key) {
        return object.has(key) ? object.get(key).getAsInt() : 0;
    }

    private static String path(String uri) {
        try {
            return uri.startsWith("file:") ? Path.of(URI.create(uri)).toString() : uri;
        } catch (IllegalArgumentException e) {
            return uri; // of another kind of system than this one
        }
    }

    /** Everything, as a text to read; empty where no file was left out. */
    public String ofSkipped(Messages messages, boolean preview) {
        if (skipped.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(summary(messages, preview)).append("\n\n");
        skipped.forEach(one -> text.append(one.file).append(": ").append(one.reason).append('\n'));
        return text.toString();
    }

    public String summary(Messages messages, boolean preview) {
        return messages.get(preview ? "report.preview" : "report.summary", files, edits, skipped.size(),
                left.safe, left.review, left.manual);
    }
}
