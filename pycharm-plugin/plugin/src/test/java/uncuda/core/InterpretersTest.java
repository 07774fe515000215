package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import uncuda.core.Interpreters.Candidate;
import uncuda.core.Interpreters.Choice;
import uncuda.core.Interpreters.Source;

class InterpretersTest {
    private static List<String> paths(List<Candidate> candidates) {
        return candidates.stream().map(Candidate::path).toList();
    }

    @Test
    void settingThenModuleThenProjectThenPath() {
        assertEquals(List.of("/set", "/module", "/project", "python3", "python"),
                paths(Interpreters.candidates("/set", "/module", "/project")));
        assertEquals(List.of("/same", "python3", "python"), paths(Interpreters.candidates("", "/same", "/same")));
        assertEquals(List.of("python3", "python"), paths(Interpreters.candidates(" ", null, null)));
    }

    @Test
    void firstThatCanIsTakenAndNoOtherIsRun() {
        List<String> run = new ArrayList<>();
        Choice choice = Interpreters.choose(Interpreters.candidates("/old", "/good", "/other"), path -> {
            run.add(path);
            return path.equals("/old") ? Optional.of(new Probe.Problem("python.old", "3.8")) : Optional.empty();
        });
        assertEquals(Optional.of(new Candidate(Source.MODULE, "/good")), choice.python());
        assertEquals(List.of("/old", "/good"), run);
        assertEquals(List.of("python.old"), choice.rejected().stream().map(Interpreters.Rejected::reason).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ssh://me@host:22/usr/bin/python3", "docker://image/python", "sftp://host/python",
        "\\\\wsl$\\Ubuntu\\usr\\bin\\python3", "//wsl.localhost/Ubuntu/usr/bin/python3"})
    void remoteIsNamedAndNotRun(String home) {
        Choice choice = Interpreters.choose(List.of(new Candidate(Source.PROJECT, home)), path -> {
            throw new AssertionError(path);
        });
        assertTrue(choice.python().isEmpty());
        assertEquals("python.remote", choice.rejected().get(0).reason());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/usr/bin/python3", "C:\\Python313\\python.exe", "\\\\share\\tools\\python.exe", "python3"})
    void localIsNotRemote(String path) {
        assertFalse(Interpreters.isRemote(path));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "uncuda 3 10 absent | false | ",
        "uncuda 3 14 there  | true  | ",
        "uncuda 4 0 there   | true  | ",
        "uncuda 3 9 there   | false | python.old",
        "uncuda 2 7 there   | false | python.old",
        "uncuda 3 12 absent | true  | python.package",
        "Welcome to Perl    | false | python.none",
        "''                 | false | python.none",
    })
    void answerIsJudged(String answer, boolean needsPackage, String reason) {
        assertEquals(Optional.ofNullable(reason), Probe.judge(answer, needsPackage).map(Probe.Problem::reason));
    }

    @Test
    void realPythonIsAsked() {
        Path folder = Path.of(System.getProperty("java.home"));
        assertEquals(Optional.empty(), Probe.ask(System.getProperty("test.python"), false, folder));
        assertEquals("python.absent", Probe.ask("/no/such/python", false, folder).orElseThrow().reason());
        String java = ProcessHandle.current().info().command().orElseThrow();
        assertEquals("python.none", Probe.ask(java, false, folder).orElseThrow().reason());
    }
}
