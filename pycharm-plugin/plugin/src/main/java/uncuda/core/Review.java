package uncuda.core;

import com.google.gson.Gson;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import uncuda.core.Overview.Action;
import uncuda.core.Overview.Compared;
import uncuda.core.Overview.Node;

/** Shows one finding after the other for review, and runs the actions on findings. For the threads see {@link Port}. */
public final class Review {
    private final Port.Server server;
    private final Executor background;
    private final Executor screen;
    private final Port.Ide ide;
    private final Port.Memory memory;
    private final Supplier<Messages> messages;
    private final BooleanSupplier isReady;
    private final Set<String> skipped = new HashSet<>();
    /** The number of the last request for a fixed text; replies to earlier requests are dropped. */
    private int compared;
    private volatile Node reviewed;
    /** Asks for the finding again, while the review waits for one. */
    private Runnable waiting;
    /** How often the overview has changed. */
    private int changes;

    /** {@code isReady}: returns whether the server can be used; if not, it tells the user why. */
    Review(Port.Server server, Executor background, Executor screen, Port.Ide ide, Port.Memory memory,
            Supplier<Messages> messages, BooleanSupplier isReady) {
        this.server = server;
        this.background = background;
        this.screen = screen;
        this.ide = ide;
        this.memory = memory;
        this.messages = messages;
        this.isReady = isReady;
    }

    /** The finding under review, or null. May be called on any thread. */
    public Node reviewed() {
        return reviewed;
    }

    /** Show the finding {@code move} places after the current one. */
    public void go(int move) {
        go(move, skipped, true);
    }

    /** The overview has changed: ask again if the review waits. */
    void changed() {
        changes++;
        if (waiting != null) {
            waiting.run();
        }
    }

    /** {@code tells}: whether to say that the review waits. */
    private void go(int move, Set<String> without, boolean tells) {
        waiting = null;
        if (!isReady.getAsBoolean()) {
            return;
        }
        int seen = changes;
        Map<String, Object> query = new LinkedHashMap<>(Map.of("filter", List.copyOf(memory.filter),
                "skip", List.copyOf(without), "move", move));
        if (!memory.reviewed.isEmpty()) {
            query.put("from", memory.reviewed);
            query.put("at", memory.at);
        }
        background.execute(() -> {
            Overview.Reviewed said = server.review(query);
            screen.execute(() -> {
                arrive(said, tells);
                if (said != null && said.node() == null && said.isWaiting()) {
                    waiting = () -> go(move, without, false);
                    if (seen != changes) {
                        waiting.run();
                    }
                }
            });
        });
    }

    private void arrive(Overview.Reviewed said, boolean tells) {
        reviewed = said == null ? null : said.node();
        if (reviewed == null) {
            String message = said == null ? messages.get().get("command.no-answer") : said.message();
            boolean waits = said != null && said.isWaiting();
            if (!waits || tells && !message.isEmpty()) { // without a message only some files are checked again
                ide.tell(message.isEmpty() ? messages.get().get("port.nothing-to-review") : message);
            }
            return;
        }
        memory.reviewed = reviewed.key();
        memory.at = said.index();
        compare(reviewed, said.label());
    }

    /** Run an action of the reviewed finding, then show the next finding. */
    public void act(String name) {
        Node node = reviewed;
        Action action = node == null ? null : node.action(name);
        if (action == null) {
            ide.tell(messages.get().get("port.no-action"));
        } else {
            // the server may not have read the file again, and would still list the finding
            Set<String> without = new HashSet<>(skipped);
            without.add(node.key());
            act(node, action, () -> go(1, without, true));
        }
    }

    /** Skip the reviewed finding until the project is closed. */
    public void skip() {
        if (reviewed != null) {
            skipped.add(reviewed.key());
        }
        go(1);
    }

    /** Show a finding beside its fixed text, or at its place in the file if it has no fix. */
    private void compare(Node node, String label) {
        int asked = ++compared;
        if (node.action(Action.PREVIEW) == null) {
            ide.open(node);
            return;
        }
        background.execute(() -> {
            Overview.Fixed said = server.fixedText(node.finding().asked());
            Compared shown = compared(node.finding().uri(), node.finding().version(), label, node.line(), said);
            screen.execute(() -> {
                if (asked != compared) {
                    return;
                }
                if (shown == null) {
                    ide.tell(said == null ? messages.get().get("command.no-answer") : said.stale());
                } else {
                    ide.compare(shown);
                }
            });
        });
    }

    /**
     * The comparison to show; null if there is no fixed text. For a notebook, the server returns the text of the cells,
     * so this text is also shown instead of the file.
     */
    private Compared compared(String uri, String version, String label, int line, Overview.Fixed said) {
        if (said == null || said.text() == null) {
            return null;
        }
        Overview.Fixed before = uri.endsWith(".ipynb") ? server.fixedText(Map.of("uri", uri, "version", version)) : null;
        return new Compared(uri, label, before == null ? null : before.text(), said.title(), said.text(), line);
    }

    /**
     * Show all files that the fixes of a node change, each beside its fixed text; show one diff if there are too many
     * files.
     */
    private void compareAll(Map<String, Object> wanted) {
        background.execute(() -> {
            Overview.Changes said = wanted.containsKey("rules") ? server.changes(wanted) : new Overview.Changes("", List.of(), true);
            List<Compared> files = new ArrayList<>();
            for (Overview.Changed file : said == null ? List.<Overview.Changed>of() : said.files()) {
                Map<String, Object> asked = new LinkedHashMap<>(wanted);
                asked.putAll(Map.of("uri", file.uri(), "version", file.version()));
                Compared one = compared(file.uri(), file.version(), said.title(), 0, server.fixedText(asked));
                if (one != null) {
                    files.add(one);
                }
            }
            screen.execute(() -> {
                if (said != null && said.many()) {
                    asDiff(wanted);
                } else if (files.isEmpty()) {
                    ide.tell(messages.get().get(said == null ? "command.no-answer" : "command.no-fixes"));
                } else {
                    ide.compare(files);
                }
            });
        });
    }

    private void asDiff(Map<String, Object> wanted) {
        Commands preview = Commands.PREVIEW_FIX_ALL_IN_PROJECT;
        ide.run(false, () -> server.execute(preview.id(), List.of(preview.with(wanted))),
                result -> Results.show(preview, result, messages.get(), ide));
    }

    /** Run an action of a node. */
    public void act(Node node, Action action) {
        act(node, action, () -> { });
    }

    private void act(Node node, Action action, Runnable then) {
        if (action.command().isEmpty()) {
            compare(node, node.label());
            return;
        }
        List<Map<String, Object>> arguments = action.arguments();
        if (action.name().equals(Action.PREVIEW)) {
            compareAll(arguments.get(0));
            return;
        }
        boolean suppresses = action.name().equals(Action.SUPPRESS);
        if (suppresses || action.name().equals(Action.ACCEPT)) {
            String asked = suppresses ? "port.reason-in-comment" : "port.reason";
            String reason = ide.ask(action.title(), messages.get().get(asked));
            if (reason == null) {
                return;
            }
            Map<String, Object> given = new LinkedHashMap<>(arguments.get(0));
            given.put("reason", reason);
            arguments = List.of(given);
        }
        execute(suppresses || action.name().equals(Action.FIX), action.command(), arguments, then);
    }

    /** Run a command of the server, then {@code then} if the command changed something. */
    void execute(boolean savesFirst, String command, List<Map<String, Object>> arguments, Runnable then) {
        ide.run(savesFirst, () -> server.execute(command, arguments), result -> {
            Results.showSkipped(result, false, messages.get(), ide);
            if (result != null && new Gson().fromJson(Report.tree(result), Overview.Done.class).isDone()) {
                then.run();
            }
        });
    }
}
