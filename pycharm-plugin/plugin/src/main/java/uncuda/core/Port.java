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
 * The port of a project: what the server says of it, and which of it is shown. The server is asked in the
 * background, one request after the other; all else belongs to the thread of the screen, whatever is not said to be for
 * any. An answer to a question that is no longer asked is dropped.
 */
public final class Port {
    /** Each call waits for the answer; null where none comes. */
    public interface Server {
        Answer overview(Map<String, Object> query);

        /** The nodes down to the finding that is nearest to a line. */
        Overview.Path path(Map<String, Object> query);

        Overview.Reviewed review(Map<String, Object> query);

        Overview.Targets targets(Map<String, Object> query);

        /** Of a file with one finding fixed, all of some rules, or none. */
        Overview.Fixed fixedText(Map<String, Object> query);

        Overview.Changes changes(Map<String, Object> wanted);

        Object execute(String command, List<?> arguments);
    }

    /** What an IDE does. */
    public interface Ide extends Results.Screen {
        void open(Node node);

        /** The finding that is reviewed. */
        void compare(Overview.Compared finding);

        /** All files of a group. */
        void compare(List<Overview.Compared> files);

        /** A line that the user gives; null where none is given. */
        String ask(String title, String question);

        /** Does {@code work} in the background, with progress, and then {@code then} on the screen. */
        void run(boolean savesFirst, Supplier<Object> work, Consumer<Object> then);
    }

    /** What is shown of the port. {@code selected}: ids from the first level to the row to select, empty for any. */
    public interface View {
        void show(List<Row> rows, String text, List<String> selected);
    }

    /** What is kept with the project on this machine. */
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
    /** How many pages are shown of each node that is open. */
    private final Map<String, Integer> pages = new HashMap<>();
    private State state = State.NONE;
    private Object running;
    private View view;
    /** Which query the rows are of: answers to others are dropped. */
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

    /** For any thread. */
    public Review review() {
        return review;
    }

    /** Shows it from now on. */
    public void show(View shown) {
        view = shown;
        askAnew();
    }

    /** Shows it no more. */
    public void hide(View gone) {
        if (view == gone) {
            view = null;
        }
    }

    /** For any thread. @param one of the starts of the server; {@code experimental} is of its capabilities */
    public void started(Object one, Object experimental) {
        screen.execute(() -> {
            running = one;
            state = Overview.isIn(experimental) ? State.READY : State.OLD;
            askAnew();
        });
    }

    /** For any thread. Another may run by now. */
    public void stopped(Object one) {
        screen.execute(() -> {
            if (running == one) {
                state = State.NONE;
                askAnew();
            }
        });
    }

    /** For any thread: asks again soon, at most five times a second. */
    public void refresh() {
        if (isAsked.compareAndSet(false, true)) {
            CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS, screen).execute(() -> {
                isAsked.set(false);
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

    /** The rows below a node are wanted. */
    public void expand(String id) {
        if (pages.putIfAbsent(id, 1) == null) {
            askAnew();
        }
    }

    public void collapse(String id) {
        pages.remove(id);
    }

    /** One more page of the rows below a node; {@code id}: empty for the first level. */
    public void more(String id) {
        pages.merge(id, 2, (shown, two) -> shown + 1);
        askAnew();
    }

    /** Selects the finding that is nearest to a line of a file. */
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

    /** What can be shown, each with whether it is; all of a dimension of which none is named. */
    public Map<Choice, Boolean> choices() {
        Set<String> named = choices.stream().filter(one -> memory.filter.contains(one.value())).map(Choice::dimension)
                .collect(Collectors.toSet());
        Map<Choice, Boolean> found = new LinkedHashMap<>();
        choices.forEach(one -> found.put(one, !named.contains(one.dimension()) || memory.filter.contains(one.value())));
        return found;
    }

    /** Shows what was hidden, or hides what was shown. A dimension that is shown as a whole is not named. */
    public void toggle(Choice choice) {
        Map<Choice, Boolean> shown = choices();
        shown.computeIfPresent(choice, (same, was) -> !was);
        Set<String> parted = shown.keySet().stream().filter(one -> !shown.get(one)).map(Choice::dimension)
                .collect(Collectors.toSet());
        memory.filter = shown.keySet().stream().filter(one -> shown.get(one) && parted.contains(one.dimension()))
                .map(Choice::value).toList();
        askAnew();
    }

    /** Has the server do something with the whole port, as a report. */
    public void execute(String command) {
        if (isReady()) {
            review.execute(false, command, List.of(), () -> { });
        }
    }

    /** Writes the target that the project is checked for into its own settings, where the command line finds it. */
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
