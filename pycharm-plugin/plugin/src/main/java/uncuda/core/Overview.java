package uncuda.core;

import java.util.List;
import java.util.Map;

/**
 * What the server says of the whole project, shown as it comes. What it leaves out is null in JSON, and here empty
 * where that means the same.
 */
public final class Overview {
    /** The version of the protocol that this plugin speaks. */
    public static final int PROTOCOL = 1;

    /** {@code command}: of the server, as it stands; empty for the preview of one finding, which is shown here. */
    public record Action(String name, String title, String command, List<Map<String, Object>> arguments) {
        public static final String FIX = "fix", PREVIEW = "preview", ACCEPT = "accept", SUPPRESS = "suppress";
    }

    public record Position(int line, int character) {
    }

    public record Range(Position start, Position end) {
    }

    /** What the server knows a finding by. */
    public record Name(String uri, String print, String version) {
        Map<String, Object> asked() {
            return Map.of("uri", uri, "print", print, "version", version);
        }
    }

    /** {@code uri}, {@code range}: the place to open; {@code key}, {@code finding}: only of findings. */
    public record Node(String id, String kind, String label, String description, String tooltip, boolean leaf,
            String icon, List<Action> actions, String uri, Range range, String key, Name finding) {
        public Node {
            actions = actions == null ? List.of() : List.copyOf(actions);
        }

        /** Null where it has no such action. */
        public Action action(String name) {
            return actions.stream().filter(one -> one.name.equals(name)).findFirst().orElse(null);
        }

        int line() {
            return range == null ? 0 : range.start().line();
        }

        public boolean isFinding() {
            return "finding".equals(kind);
        }
    }

    /** A value of the filter. */
    public record Choice(String value, String dimension, String label, int count) {
    }

    /** {@code update}: what the user has to update before anything can be shown; {@code welcome}: why there is no node. */
    public record Answer(String update, String message, String welcome, List<Choice> choices, List<Node> nodes,
            String next) {
        public Answer {
            update = orEmpty(update);
            message = orEmpty(message);
            welcome = orEmpty(welcome);
            choices = choices == null ? List.of() : List.copyOf(choices);
            nodes = nodes == null ? List.of() : List.copyOf(nodes);
        }

        /** Without a node. */
        public static Answer saying(String update, String welcome) {
            return new Answer(update, "", welcome, null, null, null);
        }
    }

    public record Path(List<Node> path) {
        public Path {
            path = path == null ? List.of() : List.copyOf(path);
        }
    }

    /** {@code node}: the finding to show, null where none is left. */
    public record Reviewed(int index, String label, Node node) {
    }

    /** {@code stale}: why there is no text. */
    public record Fixed(String text, String title, String stale) {
    }

    /** A file that fixes would change. */
    public record Changed(String uri, String version) {
    }

    /** {@code many}: too many files to be compared, and none is named. */
    public record Changes(String title, List<Changed> files, boolean many) {
    }

    /** A file beside its fixed text. {@code before}: instead of the file as it is, null for that; {@code line}: to show. */
    public record Compared(String uri, String label, String before, String title, String fixed, int line) {
    }

    public record Target(String target, boolean current) {
    }

    public record Targets(List<Target> targets) {
    }

    /** What becomes of a finding that is fixed or accepted, alone or with others. */
    public record Done(boolean applied, int accepted) {
        public boolean isDone() {
            return applied || accepted > 0;
        }
    }

    private Overview() {
    }

    private static String orEmpty(String text) {
        return text == null ? "" : text;
    }

    /** Whether a server has an overview, by what it answered to {@code initialize}: an older one has none. */
    public static boolean isIn(Object experimental) {
        return Report.tree(experimental).has("uncudaOverview");
    }

    /** What this plugin can do with it, for the capabilities of a client. {@code shows}: what the server may have opened. */
    public static Map<String, Object> capability() {
        return Map.of("uncudaOverview", Map.of("version", PROTOCOL, "shows", List.of("view", "review", "report", "changes")));
    }
}
