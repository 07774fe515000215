package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import uncuda.core.Interpreters.Candidate;
import uncuda.core.Interpreters.Choice;
import uncuda.core.Interpreters.Source;

class InterpretersTest {
    private static final Environment NOTHING = new Environment(Map.of(), false);

    @TempDir
    Path folder;

    private static List<String> paths(List<Candidate> candidates) {
        return candidates.stream().map(Candidate::path).toList();
    }

    private Environment path(String... names) throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        for (String name : names) {
            Files.createFile(bin.resolve(name));
        }
        Files.createDirectories(folder.resolve("other/python3"));
        String path = String.join(File.pathSeparator, "", ".", "bin", folder.resolve("other").toString(), bin.toString());
        return new Environment(Map.of("PATH", path), false);
    }

    /** A program is found in the PATH that the IDE gives to programs; folders and relative entries are ignored. */
    @Test
    void settingThenModuleThenProjectThenPath() throws Exception {
        Environment environment = path("python3", "python");
        String python3 = folder.resolve("bin/python3").toString(), python = folder.resolve("bin/python").toString();
        assertEquals(List.of("/set", "/module", "/project", python3, python),
                paths(Interpreters.candidates("/set", "/module", "/project", environment)));
        assertEquals(List.of("/same", python3, python),
                paths(Interpreters.candidates("", "/same", "/same", environment)));
        assertEquals(List.of(), paths(Interpreters.candidates(" ", null, null, NOTHING)));
    }

    @Test
    void windowsHasProgramsWithAnEnding() throws Exception {
        Environment linux = path("python3", "python.exe");
        Environment windows = new Environment(linux.variables(), true);
        assertEquals(List.of(folder.resolve("bin/python.exe").toString()), windows.find("python"));
        assertEquals(windows.find("python"), windows.find("python.exe"));
        assertEquals(List.of(), windows.find("python3"));
    }

    @Test
    void settingIsReadAsPeopleWriteIt() throws Exception {
        Environment environment = path("python3.12");
        String home = System.getProperty("user.home");
        assertEquals(folder.resolve("bin/python3.12").toString(), set("python3.12", environment));
        assertEquals("python9", set("python9", environment));
        assertEquals(home + "/venv/bin/python", set("~/venv/bin/python", environment));
        assertEquals(Path.of("/project/venv/bin/python").toString(), set("venv/bin/python", environment));
        assertEquals("/usr/bin/python3", set("/usr/bin/python3", environment));
        assertEquals("docker://image/python", set("docker://image/python", environment));
        assertEquals("", set("", environment));
        assertEquals("a/b", Interpreters.fromSetting("a/b", null, environment));
    }

    private static String set(String value, Environment environment) {
        return Interpreters.fromSetting(value, "/project", environment);
    }

    @Test
    void firstThatCanIsTakenAndNoOtherIsRun() {
        List<String> run = new ArrayList<>();
        Choice choice = Interpreters.choose(Interpreters.candidates("", "/old", "/good", NOTHING), path -> {
            run.add(path);
            return path.equals("/old") ? Optional.of(new Probe.Problem("python.old", "3.8")) : Optional.empty();
        });
        assertEquals(Optional.of(new Candidate(Source.PROJECT, "/good")), choice.python());
        assertEquals(List.of("/old", "/good"), run);
        assertEquals(List.of("python.old"), choice.rejected().stream().map(Interpreters.Rejected::reason).toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/bad", "docker://image/python"})
    void settingThatDoesNotDoIsTheProblem(String setting) {
        Choice choice = Interpreters.choose(Interpreters.candidates(setting, "/good", "/good", NOTHING), path ->
                path.equals("/bad") ? Optional.of(new Probe.Problem("python.old", "3.8")) : Optional.empty());
        assertEquals(Optional.empty(), choice.python());
        assertEquals(List.of(setting), choice.rejected().stream().map(one -> one.candidate().path()).toList());
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
}
