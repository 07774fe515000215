package uncuda.core;

import java.util.List;
import java.util.Map;

/**
 * The types of the server's replies about the whole project, which the plugin shows as the server sends them. Fields
 * that the server leaves out are null in JSON; here they are empty if this means the same.
 */
public final class Overview {
    /** The version of the overview protocol that this plugin implements. */
    public static final int PROTOCOL = 1;

    /**
     * {@code command}: the command of the server; empty for the preview of one finding, which the plugin shows itself.
     */
    public record Action(String name, String title, String command, List<Map<String, Object>> arguments) {
        public static final String FIX = "fix", PREVIEW = "preview", ACCEPT = "accept", SUPPRESS = "suppress";
    }

    public record Position(int line, int character) {
    }

    public record Range(Position start, Position end) {
    }

    /** How the server identifies a finding. */
    public record Name(String uri, String print, String version) {
        Map<String, Object> asked() {
            return Map.of("uri", uri, "print", print, "version", version);
        }
    }

    /** {@code uri}, {@code range}: the place that opens; {@code key}, {@code finding}: only findings have them. */
    public record Node(String id, String kind, String label, String description, String tooltip, boolean leaf,
            String icon, List<Action> actions, String uri, Range range, String key, Name finding) {
        public Node {
            actions = actions == null ? List.of() : List.copyOf(actions);
        }

        /** The action with a name; null if the node has none. */
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

    /** A value by which the view can be filtered. */
    public record Choice(String value, String dimension, String label, int count) {
    }

    /**
     * {@code update}: which program the user has to update before the view can show anything; {@code welcome}: why
     * there are no nodes.
     */
    public record Answer(String update, String message, String welcome, List<Choice> choices, List<Node> nodes,
            String next) {
        public Answer {
            update = orEmpty(update);
            message = orEmpty(message);
            welcome = orEmpty(welcome);
            choices = choices == null ? List.of() : List.copyOf(choices);
            nodes = nodes == null ? List.of() : List.copyOf(nodes);
        }

        /** A reply without nodes. */
        public static Answer saying(String update, String welcome) {
            return new Answer(update, "", welcome, null, null, null);
        }
    }

    public record Path(List<Node> path) {
        public Path {
            path = path == null ? List.of() : List.copyOf(path);
        }
    }

    /**
     * {@code node}: the finding to show; null if there is none. {@code message}: which files were not checked; {@code
     * isWaiting}: whether they are being checked.
     */
    public record Reviewed(int index, String label, Node node, String message, boolean isWaiting) {
        public Reviewed {
            message = orEmpty(message);
        }
    }

    /** {@code stale}: why there is no fixed text. */
    public record Fixed(String text, String title, String stale) {
    }

    /** A file that the fixes would change. */
    public record Changed(String uri, String version) {
    }

    /** {@code many}: whether there are too many files to compare; {@code files} is then empty. */
    public record Changes(String title, List<Changed> files, boolean many) {
    }

    /**
     * A file beside its fixed text. {@code before}: the text to show instead of the file; null for the file itself.
     * {@code line}: the line to scroll to.
     */
    public record Compared(String uri, String label, String before, String title, String fixed, int line) {
    }

    public record Target(String target, boolean current) {
    }

    public record Targets(List<Target> targets) {
    }

    /** The result of a command that fixes or accepts findings. */
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

    /** Whether a server has the overview, according to its reply to {@code initialize}; an older server does not. */
    public static boolean isIn(Object experimental) {
        return Report.tree(experimental).has("uncudaOverview");
    }

    /** The client capability for the overview. {@code shows}: the views that the server may ask the plugin to open. */
    public static Map<String, Object> capability() {
        return Map.of("uncudaOverview", Map.of("version", PROTOCOL, "shows", List.of("view", "review", "report", "changes")));
    }
}
