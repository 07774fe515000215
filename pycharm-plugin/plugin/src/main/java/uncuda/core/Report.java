package uncuda.core;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a server command that makes fixes. The server itself shows a summary; the plugin shows the skipped
 * files and the diff.
 */
public record Report(int files, int edits, Left left, List<Skipped> skipped, String diff) {
    /** The number of remaining findings: with a safe fix, with a fix that needs review, without a fix. */
    public record Left(int safe, int review, int manual) {
    }

    public record Skipped(String file, String reason) {
    }

    /** {@code result}: the result as the language client returns it: some tree of JSON, or null without a reply. */
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

    /** Convert a result of the language client to a JSON object; an empty one if the result is null or no object. */
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
            return uri; // the path is of another operating system
        }
    }

    /** The summary and the list of skipped files as one text; empty if no file was skipped. */
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
