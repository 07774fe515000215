package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import uncuda.core.Overview.Action;
import uncuda.core.Overview.Answer;
import uncuda.core.Overview.Node;

/** Tests which requests are sent when, and which replies are dropped. The threads are queues that the tests run. */
class PortTest {
    private static final Map<String, Object> CAPABLE = Map.of("uncudaOverview", Map.of("version", 1));
    private static final String CHOICES = """
            [{"value": "safe", "dimension": "class"}, {"value": "review", "dimension": "class"},
             {"value": "code", "dimension": "place"}, {"value": "tests", "dimension": "place"}]""";

    private final Deque<Runnable> background = new ArrayDeque<>();
    private final List<Map<String, Object>> asked = new ArrayList<>();
    private final List<String> done = new ArrayList<>();
    private final List<Object> executed = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final Port.Memory memory = new Port.Memory();
    private String text;
    private List<String> selected;
    private String path = "{}";
    private String answer = "{}";
    private String reviewed = "{}";
    private String fixed = "{}";
    private String changes = "{}";
    private String result = "{}";
    private String reason;
    private final Port port = new Port(new Told(), background::add, Runnable::run, new Recorded(), memory,
            () -> new Messages(Locale.ENGLISH));

    private final class Told implements Port.Server {
        @Override
        public Answer overview(Map<String, Object> query) {
            asked.add(query);
            String said = query.containsKey("parent") ? answer.replace("\"rule\"", "\"below\"") : answer;
            return new Gson().fromJson(said, Answer.class);
        }

        @Override
        public Overview.Path path(Map<String, Object> query) {
            return new Gson().fromJson(path, Overview.Path.class);
        }

        @Override
        public Overview.Reviewed review(Map<String, Object> query) {
            asked.add(query);
            return new Gson().fromJson(reviewed, Overview.Reviewed.class);
        }

        @Override
        public Overview.Targets targets(Map<String, Object> query) {
            return new Gson().fromJson("{\"targets\": [{\"target\": \"a\"}, {\"target\": \"b\", \"current\": true}]}",
                    Overview.Targets.class);
        }

        @Override
        public Overview.Fixed fixedText(Map<String, Object> query) {
            return new Gson().fromJson(fixed, Overview.Fixed.class);
        }

        @Override
        public Overview.Changes changes(Map<String, Object> wanted) {
            return new Gson().fromJson(changes, Overview.Changes.class);
        }

        @Override
        public Object execute(String command, List<?> arguments) {
            executed.add(command);
            executed.addAll(arguments);
            return new Gson().fromJson(result, Object.class);
        }
    }

    private final class Recorded implements Port.Ide {
        @Override
        public void tell(String said) {
            done.add(said);
        }

        @Override
        public void offer(String title, String said, String action, Runnable run) {
            done.add(action);
        }

        @Override
        public void open(String name, String said) {
            done.add(name);
        }

        @Override
        public void open(Node node) {
            done.add("open " + node.key());
        }

        @Override
        public void compare(Overview.Compared finding) {
            done.add(finding.label() + ": " + finding.fixed() + (finding.before() == null ? "" : " after " + finding.before()));
        }

        @Override
        public void compare(List<Overview.Compared> files) {
            files.forEach(this::compare);
        }

        @Override
        public String ask(String title, String question) {
            return reason;
        }

        @Override
        public void run(boolean savesFirst, Supplier<Object> work, Consumer<Object> then) {
            done.add(savesFirst ? "save" : "run");
            then.accept(work.get());
        }
    }

    @BeforeEach
    void show() {
        port.show((shown, said, wanted) -> {
            rows.clear();
            rows.addAll(shown);
            text = said;
            selected = wanted;
        });
    }

    private void work() {
        while (!background.isEmpty()) {
            background.remove().run();
        }
    }

    private void start() {
        port.started("one", CAPABLE);
        work();
        asked.clear();
    }

    private static String node(String id, String more) {
        return """
                {"id": "%s", "kind": "rule", "label": "%s", "description": "", "tooltip": "", "icon": ""%s}"""
                .formatted(id, id, more);
    }

    private List<String> ids() {
        return rows.stream().map(Row::id).toList();
    }

    @Test
    void serverThatMustBeUpdatedOrWaitedForIsNotAsked() {
        assertTrue(text.startsWith("The language server does not run"), text);
        port.started("old", null);
        assertTrue(text.startsWith("The uncuda that runs is older than this plugin"), text);
        port.review().go(0);
        work();
        assertEquals(List.of(), asked);
        assertEquals(List.of(text), done);
    }

    @Test
    void pluginThatMustBeUpdatedSaysSo() {
        answer = """
                {"version": 0, "update": "update the plugin", "nodes": [], "message": "0 left"}""";
        start();
        assertEquals("update the plugin", text);
    }

    @Test
    void whatALaterServerSaysOfAnEmptyViewIsNoError() {
        answer = """
                {"message": "0 left", "welcome": "of a later version", "nodes": []}""";
        start();
        assertEquals("0 left", text);
        answer = """
                {"message": "0 left", "welcome": "scan", "nodes": []}""";
        port.regroup();
        work();
        assertTrue(text.startsWith("0 left\nThe project was not scanned"), text);
    }

    @Test
    void answerToAnotherQueryIsDropped() {
        start();
        answer = "{\"nodes\": [%s]}".formatted(node("rule", ""));
        port.expand("x");
        port.regroup();
        background.remove().run(); // the request of the earlier query
        assertEquals(List.of(), ids());
        work();
        assertEquals(List.of("rule"), ids());
        assertEquals(List.of("rule", "folder"), asked.stream().map(one -> one.get("group")).toList());
    }

    @Test
    void oneQuestionIsOnItsWayAndOneWaits() {
        start();
        for (int i = 0; i < 20; i++) {
            port.expand("node" + i);
        }
        assertEquals(1, background.size());
        work();
        assertEquals(2, asked.size());
    }

    @Test
    void serverThatStopsTakesItsRowsAlongAndALateAnswerToo() {
        answer = "{\"nodes\": [%s]}".formatted(node("rule", ""));
        start();
        port.expand("rule");
        port.stopped("one");
        work();
        assertEquals(List.of(), ids());
        port.started("two", CAPABLE);
        port.stopped("one"); // the notification about the first server comes after the second has started
        work();
        assertEquals(List.of("rule"), ids());
    }

    @Test
    void noAnswerLeavesWhatIsShown() {
        answer = "{\"nodes\": [%s]}".formatted(node("rule", ", \"leaf\": true"));
        start();
        answer = "";
        port.regroup();
        work();
        assertEquals(List.of("rule"), ids());
    }

    @Test
    void onlyWhatIsExpandedIsAskedForAPageAtATime() {
        answer = "{\"nodes\": [%s], \"next\": \"1\"}".formatted(node("rule", ""));
        start();
        assertEquals(List.of("rule", "…"), ids());
        assertNull(rows.get(0).below());
        port.expand("rule");
        work();
        assertEquals(List.of("below", "rule…"), rows.get(0).below().stream().map(Row::id).toList());
        assertEquals("rule", asked.get(1).get("parent"));
        asked.clear();
        port.collapse("rule");
        port.more("");
        work();
        assertEquals(List.of("rule", "rule", "…"), ids());
        assertEquals("1", asked.get(1).get("after"));
        assertEquals(2, asked.size());
    }

    @Test
    void whatIsRevealedIsExpandedAndSelectedOnce() {
        answer = "{\"nodes\": [%s]}".formatted(node("rule", ""));
        start();
        path = "{\"path\": [%s, %s]}".formatted(node("rule", ""), node("below", ""));
        port.reveal("u", 3);
        work();
        assertEquals(List.of("rule", "below"), selected);
        assertEquals("below", rows.get(0).below().get(0).id());
        port.regroup();
        work();
        assertEquals(List.of(), selected);
        path = "{\"path\": []}";
        port.reveal("u", 3);
        work();
        assertEquals(List.of("In this file nothing is shown by the filter."), done);
    }

    @Test
    void filterNamesWhatIsShownOfAPartedDimensionOnly() {
        answer = "{\"nodes\": [], \"choices\": " + CHOICES + "}";
        start();
        List<Overview.Choice> choices = List.copyOf(port.choices().keySet());
        assertFalse(port.choices().containsValue(false));
        port.toggle(choices.get(0));
        assertEquals(List.of("review"), memory.filter);
        work();
        assertEquals(List.of("review"), asked.get(0).get("filter"));
        assertEquals(List.of(false, true, true, true), List.copyOf(port.choices().values()));
        port.toggle(choices.get(2));
        assertEquals(List.of("review", "tests"), memory.filter);
        port.toggle(choices.get(0));
        assertEquals(List.of("tests"), memory.filter);
    }

    private static String finding(String key, String actions) {
        return """
                {"index": 0, "label": "%s (1 of 2)", "node": {"id": "%s", "kind": "finding", "key": "%s", "label": "",
                 "finding": {"uri": "u", "print": "p", "version": "v"}, "actions": [%s]}}"""
                .formatted(key, key, key, actions);
    }

    private static String action(String name, String command) {
        return """
                {"name": "%s", "title": "t", "command": "%s", "arguments": [{"print": "p"}]}""".formatted(name, command);
    }

    @Test
    void reviewGoesOnFromItsPlaceWithoutWhatIsSkipped() {
        start();
        reviewed = finding("a", "");
        port.review().go(0);
        work();
        assertEquals(List.of("open a"), done);
        assertFalse(asked.get(0).containsKey("from"));
        port.review().skip();
        work();
        assertEquals(List.of("a", 0, List.of("a"), 1), List.of(asked.get(1).get("from"), asked.get(1).get("at"),
                asked.get(1).get("skip"), asked.get(1).get("move")));
        reviewed = "{\"index\": 0}";
        port.review().go(1);
        work();
        assertNull(port.review().reviewed());
        assertEquals("Nothing is left to review.", done.get(2));
        port.review().act("fix");
        assertEquals("There is no such action for this finding.", done.get(3));
    }

    @Test
    void fixGoesOnOnlyWhereItWasMade() {
        start();
        reviewed = finding("a", action("fix", "uncuda.fixFinding"));
        port.review().go(0);
        work();
        port.review().act("fix");
        work();
        assertEquals(List.of("open a", "save"), done);
        result = "{\"applied\": true}";
        port.review().act("fix");
        work();
        assertEquals(List.of("open a", "save", "save", "open a"), done);
        assertEquals(List.of("a"), asked.get(1).get("skip"));
        port.review().go(1);
        work();
        // the user may undo a fix, so the finding is not skipped any longer
        assertEquals(List.of(), asked.get(2).get("skip"));
        assertEquals(List.of("uncuda.fixFinding", Map.of("print", "p"), "uncuda.fixFinding", Map.of("print", "p")), executed);
    }

    @Test
    void nothingIsAcceptedWithoutAnAnswerAndAnEmptyOneIsOne() {
        start();
        reviewed = finding("a", action("accept", "uncuda.acceptFinding"));
        port.review().go(0);
        work();
        port.review().act("accept");
        assertEquals(List.of(), executed);
        reason = "";
        result = "{\"accepted\": 1}";
        port.review().act("accept");
        work();
        assertEquals(List.of("uncuda.acceptFinding", Map.of("print", "p", "reason", "")), executed);
        assertEquals(List.of("open a", "run", "open a"), done);
    }

    @Test
    void reviewWaitsWhileFilesAreCheckedAndSaysSoOnce() {
        start();
        asked.clear();
        reviewed = "{\"message\": \"Wait.\", \"isWaiting\": true}";
        port.review().go(0);
        port.review().changed(); // before the reply: the review must not miss it
        work();
        assertEquals(2, asked.size());
        assertEquals(List.of("Wait."), done);
        reviewed = finding("a", "");
        port.review().changed();
        work();
        assertEquals(List.of("Wait.", "open a"), done);
        port.review().changed();
        assertTrue(background.isEmpty());
        reviewed = "{\"isWaiting\": true}";
        port.review().go(1);
        work();
        assertEquals(2, done.size());
        reviewed = "{\"message\": \"Not all was checked.\"}";
        port.review().go(1);
        work();
        assertEquals("Not all was checked.", done.get(2));
    }

    @Test
    void previewOfAnotherFindingIsDroppedAndAStaleOneIsSaid() {
        start();
        reviewed = finding("a", action("preview", ""));
        fixed = "{\"text\": \"fixed\", \"title\": \"t\"}";
        port.review().go(0);
        background.remove().run();
        reviewed = finding("b", action("preview", ""));
        port.review().go(1);
        background.addLast(background.removeFirst()); // the reply for finding a comes after the request for finding b
        work();
        assertEquals(List.of("b (1 of 2): fixed"), done);
        fixed = "{\"stale\": \"look again\"}";
        port.review().go(0);
        work();
        assertEquals("look again", done.get(1));
    }

    @Test
    void targetThatIsKeptIsThePresentOne() {
        start();
        port.keepTarget();
        work();
        assertEquals(List.of("uncuda.keepTarget", Map.of("target", "b")), executed);
    }

    @Test
    void filesThatWereLeftOutAreNamed() {
        start();
        result = """
                {"applied": true, "files": 1, "edits": 1, "skipped": [{"uri": "u", "reason": "r"}]}""";
        Overview.Action fix = new Gson().fromJson(action("fix", "uncuda.fixAllInWorkspace"), Overview.Action.class);
        port.review().act(new Gson().fromJson(node("n", ""), Node.class), fix);
        assertEquals(List.of("save", "Show them"), done);
    }

    @Test
    void groupThatCannotBeComparedIsATextOrAMessage() {
        Action preview = new Action(Action.PREVIEW, "", "p", List.of(Map.of("rules", List.of("r"), "applicability", "safe")));
        for (String said : List.of("{\"title\": \"\", \"files\": [], \"many\": true}",
                "{\"title\": \"\", \"files\": [], \"many\": false}", "null")) {
            changes = said;
            port.review().act(null, preview);
            background.remove().run();
        }
        assertEquals(List.of("uncuda.fixAllInWorkspace", Map.of("rules", List.of("r"), "applicability", "safe", "dryRun", true)),
                executed);
        Messages messages = new Messages(Locale.ENGLISH);
        String nothing = messages.get("command.no-fixes");
        assertEquals(List.of("run", nothing, nothing, messages.get("command.no-answer")), done);
    }
}
