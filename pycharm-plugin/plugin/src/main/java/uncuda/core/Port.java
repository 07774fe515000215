package uncuda.core;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import uncuda.core.Overview.Answer;
import uncuda.core.Overview.Choice;
import uncuda.core.Overview.Node;

/**
 * The model of the Port tool window: requests the overview of a project from the server, and stores which part is
 * shown. Requests run in the background, one after the other. All methods must be called on the UI thread, unless they
 * say otherwise. A reply is dropped if the query has changed meanwhile.
 */
public final class Port {
    /** The requests to the server. Each call blocks until the reply comes; null if none comes. */
    public interface Server {
        Answer overview(Map<String, Object> query);

        /** The nodes from the first level to the finding that is nearest to a line. */
        Overview.Path path(Map<String, Object> query);

        Overview.Reviewed review(Map<String, Object> query);

        Overview.Targets targets(Map<String, Object> query);

        /** The text of a file with one finding fixed, with all findings of some rules fixed, or unchanged. */
        Overview.Fixed fixedText(Map<String, Object> query);

        Overview.Changes changes(Map<String, Object> wanted);

        Object execute(String command, List<?> arguments);
    }

    /** What the IDE has to provide. */
    public interface Ide extends Results.Screen {
        void open(Node node);

        /** Show the reviewed finding beside its fixed text. */
        void compare(Overview.Compared finding);

        /** Show all files of a preview, each beside its fixed text. */
        void compare(List<Overview.Compared> files);

        /** Ask the user for a line of text; null if the user cancels. */
        String ask(String title, String question);

        /** Run {@code work} in the background, with a progress bar, then {@code then} on the UI thread. */
        void run(boolean savesFirst, Supplier<Object> work, Consumer<Object> then);
    }

    /**
     * The view. {@code selected}: the ids of the nodes from the first level to the row to select; empty to keep the
     * selection.
     */
    public interface View {
        void show(List<Row> rows, String text, List<String> selected);
    }

    /** The state that is stored with the project on this machine. */
    public static final class Memory {
        public String group = "rule";
        public List<String> filter = new ArrayList<>();
        public String reviewed = "";
        public int at;
    }

    private enum State { NONE, OLD, READY }

    private static final int PAUSE_MS = 200;
    private final Server server;
    private final Executor background;
    private final Executor screen;
    private final Ide ide;
    private final Memory memory;
    private final Supplier<Messages> messages;
    private final Review review;
    private final AtomicBoolean isAsked = new AtomicBoolean();
    /** For each expanded node: how many pages of its children are shown. */
    private final Map<String, Integer> pages = new HashMap<>();
    private State state = State.NONE;
    private Object running;
    private View view;
    /** The number of the current query; replies to earlier queries are dropped. */
    private int queried;
    private boolean isFetching;
    private boolean isStale;
    private List<Choice> choices = List.of();
    private List<String> revealed = List.of();

    public Port(Server server, Executor background, Executor screen, Ide ide, Memory memory,
            Supplier<Messages> messages) {
        this.server = server;
        this.background = background;
        this.screen = screen;
        this.ide = ide;
        this.memory = memory;
        this.messages = messages;
        review = new Review(server, background, screen, ide, memory, messages, this::isReady);
    }

    /** May be called on any thread. */
    public Review review() {
        return review;
    }

    /** Show the port in a view from now on. */
    public void show(View shown) {
        view = shown;
        askAnew();
    }

    /** Stop showing the port in a view. */
    public void hide(View gone) {
        if (view == gone) {
            view = null;
        }
    }

    /**
     * A server has started. May be called on any thread. {@code one}: identifies this start of the server; {@code
     * experimental}: from the server's capabilities.
     */
    public void started(Object one, Object experimental) {
        screen.execute(() -> {
            running = one;
            state = Overview.isIn(experimental) ? State.READY : State.OLD;
            askAnew();
        });
    }

    /** A server has stopped; another may be running already. May be called on any thread. */
    public void stopped(Object one) {
        screen.execute(() -> {
            if (running == one) {
                state = State.NONE;
                askAnew();
            }
        });
    }

    /** Request the overview again soon, at most five times a second. May be called on any thread. */
    public void refresh() {
        if (isAsked.compareAndSet(false, true)) {
            CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS, screen).execute(() -> {
                isAsked.set(false);
                review.changed();
                ask();
            });
        }
    }

    private void askAnew() {
        queried++;
        ask();
    }

    private void ask() {
        if (view == null || state == State.NONE) {
            draw(Answer.saying("", "noServer"), List.of());
        } else if (state == State.OLD) {
            draw(Answer.saying(messages.get().get("port.old-server"), ""), List.of());
        } else if (isFetching) {
            isStale = true;
        } else {
            isFetching = true;
            isStale = false;
            int asked = queried;
            Map<String, Object> query = query();
            Map<String, Integer> open = Map.copyOf(pages);
            background.execute(() -> fetch(asked, query, open));
        }
    }

    private Map<String, Object> query() {
        return Map.of("group", memory.group, "filter", List.copyOf(memory.filter));
    }

    private void fetch(int asked, Map<String, Object> query, Map<String, Integer> open) {
        Answer top = null;
        List<Row> rows = List.of();
        try {
            top = server.overview(query);
            rows = Row.below("", top, open, more -> {
                Map<String, Object> whole = new LinkedHashMap<>(query);
                whole.putAll(more);
                return server.overview(whole);
            });
        } finally {
            Answer found = top;
            List<Row> below = rows;
            screen.execute(() -> arrive(asked, found, below));
        }
    }

    private void arrive(int asked, Answer top, List<Row> rows) {
        isFetching = false;
        if (asked == queried && top != null) {
            draw(top, rows);
        }
        if (isStale) {
            ask();
        }
    }

    private void draw(Answer top, List<Row> rows) {
        choices = top.choices();
        if (view != null) {
            String welcome = messages.get().find("welcome." + top.welcome());
            List<String> text = List.of(top.update().isEmpty() ? top.message() : top.update(), welcome);
            view.show(rows, text.stream().filter(one -> !one.isEmpty()).collect(Collectors.joining("\n")), revealed);
            revealed = List.of();
        }
    }

    /** Show the rows below a node. */
    public void expand(String id) {
        if (pages.putIfAbsent(id, 1) == null) {
            askAnew();
        }
    }

    public void collapse(String id) {
        pages.remove(id);
    }

    /** Show one more page of the rows below a node; {@code id}: "" for the first level. */
    public void more(String id) {
        pages.merge(id, 2, (shown, two) -> shown + 1);
        askAnew();
    }

    /** Select the finding that is nearest to a line of a file. */
    public void reveal(String uri, int line) {
        if (!isReady()) {
            return;
        }
        Map<String, Object> query = new LinkedHashMap<>(query());
        query.putAll(Map.of("uri", uri, "position", new Overview.Position(line, 0)));
        background.execute(() -> {
            Overview.Path said = server.path(query);
            screen.execute(() -> reveal(said == null ? List.of() : said.path().stream().map(Node::id).toList()));
        });
    }

    private void reveal(List<String> path) {
        if (path.isEmpty()) {
            ide.tell(messages.get().get("port.not-here"));
            return;
        }
        path.subList(0, path.size() - 1).forEach(id -> pages.putIfAbsent(id, 1));
        revealed = path;
        askAnew();
    }

    public void regroup() {
        memory.group = memory.group.equals("rule") ? "folder" : "rule";
        askAnew();
    }

    /**
     * All values of the filter, each with whether it is shown. If no value of a dimension is in the filter, all its
     * values are shown.
     */
    public Map<Choice, Boolean> choices() {
        Set<String> named = choices.stream().filter(one -> memory.filter.contains(one.value())).map(Choice::dimension)
                .collect(Collectors.toSet());
        Map<Choice, Boolean> found = new LinkedHashMap<>();
        choices.forEach(one -> found.put(one, !named.contains(one.dimension()) || memory.filter.contains(one.value())));
        return found;
    }

    /**
     * Show the findings with a value, or hide them if they are shown. If all values of a dimension are shown, the
     * filter contains none of them.
     */
    public void toggle(Choice choice) {
        Map<Choice, Boolean> shown = choices();
        shown.computeIfPresent(choice, (same, was) -> !was);
        Set<String> parted = shown.keySet().stream().filter(one -> !shown.get(one)).map(Choice::dimension)
                .collect(Collectors.toSet());
        memory.filter = shown.keySet().stream().filter(one -> shown.get(one) && parted.contains(one.dimension()))
                .map(Choice::value).toList();
        askAnew();
    }

    /** Have the server run a command for the whole port, such as writing the report. */
    public void execute(String command) {
        if (isReady()) {
            review.execute(false, command, List.of(), () -> { });
        }
    }

    /** Write the current target into the project's own settings, which the command line reads, too. */
    public void keepTarget() {
        if (!isReady()) {
            return;
        }
        background.execute(() -> {
            Overview.Targets said = server.targets(Map.of());
            screen.execute(() -> {
                if (said == null) {
                    ide.tell(messages.get().get("command.no-answer"));
                } else {
                    said.targets().stream().filter(Overview.Target::current).findFirst().ifPresent(one -> review.execute(
                            false, Commands.KEEP_TARGET, List.of(Map.of("target", one.target())), () -> { }));
                }
            });
        });
    }

    private boolean isReady() {
        if (state != State.READY) {
            ide.tell(messages.get().get(state == State.OLD ? "port.old-server" : "command.no-server"));
        }
        return state == State.READY;
    }
}
