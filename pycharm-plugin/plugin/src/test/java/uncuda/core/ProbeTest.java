package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import uncuda.core.Probe.Problem;

class ProbeTest {
    private static final String PYTHON = System.getProperty("test.python");
    private static final Environment ENVIRONMENT = Environment.of(System.getenv());

    @TempDir
    Path folder;

    private Probe probe() {
        return new Probe(false, folder, ENVIRONMENT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "uncuda 3 10 absent | false | | ",
        "uncuda 3 14 there  | true  | | ",
        "uncuda 4 0 there   | true  | | ",
        "uncuda 3 9 there   | false | python.old     | 3.9",
        "uncuda 2 7 absent  | false | python.old     | 2.7",
        "uncuda 3 12 absent | true  | python.package | ''",
        "Welcome to Perl    | false | python.broken  | Welcome to Perl",
        "''                 | false | python.none    | ''",
    })
    void answerIsJudged(String answer, boolean needsPackage, String reason, String detail) {
        assertEquals(Optional.ofNullable(reason).map(one -> new Problem(one, detail)),
                new Probe(needsPackage, folder, ENVIRONMENT).judge(answer));
    }

    @Test
    void realPythonIsAsked() {
        assertEquals(Optional.empty(), probe().ask(PYTHON));
        assertEquals("python.absent", probe().ask("/no/such/python").orElseThrow().reason());
        String java = ProcessHandle.current().info().command().orElseThrow();
        assertEquals("python.broken", probe().ask(java).orElseThrow().reason());
    }

    @Test
    void whatCannotBeStartedIsSaidWithItsCause() throws Exception {
        Problem problem = probe().ask(Files.createFile(folder.resolve("python")).toString()).orElseThrow();
        assertEquals("python.broken", problem.reason());
        assertTrue(problem.detail().contains("error=13"), problem.detail());
    }

    /** Python 2.7 does not know -I; the message must say that it is too old, and name its version. */
    @Test
    void pythonTwoIsTooOld() throws Exception {
        Path python = script("two", """
                test "$1" != -I || { echo 'Unknown option: -I' >&2; exit 2; }
                test "$1" = -c && echo 'uncuda 2 7 absent'""");
        assertEquals(Optional.of(new Problem("python.old", "2.7")), probe().ask(python.toString()));
    }

    @Test
    void questionHasNothingThatJavaLosesOnWindows() {
        assertFalse(Probe.QUESTION.contains("\""), Probe.QUESTION);
    }

    /** A sitecustomize may print text before and after the answer, and more than fits into a pipe. */
    @Test
    void answerIsFoundAmongOtherOutput() throws Exception {
        Files.writeString(folder.resolve("sitecustomize.py"), """
                import atexit, sys
                print('x' * 200000 + ' loaded', end='')
                print('a warning', file=sys.stderr)
                atexit.register(print, 'bye')
                """);
        Map<String, String> variables = new HashMap<>(System.getenv());
        variables.put("PYTHONPATH", folder.toString());
        Probe probe = new Probe(true, folder, new Environment(variables, false));
        assertEquals(Optional.empty(), probe.ask(PYTHON));
    }

    /**
     * The Python is tested as the server is run: with the bundled server it ignores the user's variables such as
     * PYTHONPATH, otherwise it uses them.
     */
    @Test
    void variablesCountForThePackageOnly() throws Exception {
        Files.writeString(folder.resolve("sitecustomize.py"), "raise SystemExit('run')\n");
        Environment environment = new Environment(Map.of("PYTHONPATH", folder.toString()), false);
        assertEquals(Optional.empty(), new Probe(false, folder, environment).ask(PYTHON));
        assertEquals(Optional.of(new Problem("python.broken", "SystemExit: run")),
                new Probe(true, folder, environment).ask(PYTHON));
    }

    private Path script(String name, String text) throws Exception {
        Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text + "\n");
        assertTrue(file.toFile().setExecutable(true));
        return file;
    }
}
