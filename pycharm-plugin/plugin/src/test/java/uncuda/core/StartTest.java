package uncuda.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import uncuda.core.Interpreters.Candidate;
import uncuda.core.Interpreters.Rejected;
import uncuda.core.Interpreters.Source;

class StartTest {
    private static final String PYTHON = System.getProperty("test.python");
    private static final Environment ENVIRONMENT = Environment.of(System.getenv());
    private static final List<Candidate> LOCAL = List.of(new Candidate(Source.SETTING, PYTHON));

    @TempDir
    Path folder;

    private Bundle bundle() {
        return new Bundle(folder.resolve("lib/uncuda.jar"));
    }

    private static Messages english() {
        return new Messages(Locale.ENGLISH);
    }

    @Test
    void bundledServerRunsWithoutTheUsersEnvironment() throws Exception {
        Path launcher = Files.createFile(Files.createDirectory(folder.resolve("server")).resolve("launch.py"));
        assertEquals(List.of(PYTHON, "-I", launcher.toString(), "server", "--stdio"),
                Start.command(Options.DEFAULTS, LOCAL, bundle(), ENVIRONMENT, english()));
    }

    @Test
    void damagedPluginIsSaid() {
        Start.Failure failure = assertThrows(Start.Failure.class,
                () -> Start.command(Options.DEFAULTS, LOCAL, bundle(), ENVIRONMENT, english()));
        assertTrue(failure.getMessage().contains("launch.py"), failure.getMessage());
        assertEquals("", failure.installCommand());
    }

    @Test
    void everyPythonThatWasTriedIsNamed() {
        List<Candidate> candidates =
                Interpreters.candidates("", "/no/such/python", "docker://image/python", new Environment(Map.of(), false));
        Start.Failure failure = assertThrows(Start.Failure.class, () ->
                Start.command(Options.DEFAULTS, candidates, bundle(), ENVIRONMENT, new Messages(Locale.CHINESE)));
        assertEquals("""
                没有能运行语言服务器的 Python。请在设置中指定一个本地的 Python。
                模块的解释器: /no/such/python: 不存在
                项目的解释器: docker://image/python: 是远程解释器（SSH、Docker 或 WSL）；服务器需要本地的 Python""",
                failure.getMessage());
        assertEquals(Start.pythonFor(System.getProperty("os.name")), failure.installCommand());
    }

    @Test
    void settingThatDoesNotDoIsToBeChanged() {
        List<Candidate> candidates =
                Interpreters.candidates("/no/such/python", PYTHON, PYTHON, new Environment(Map.of(), false));
        Start.Failure failure = assertThrows(Start.Failure.class, () ->
                Start.command(Options.DEFAULTS, candidates, bundle(), ENVIRONMENT, english()));
        assertEquals("""
                The Python that the settings name cannot run the language server. Name another one, or none.
                setting: /no/such/python: is not there""", failure.getMessage());
        assertEquals("", failure.installCommand());
    }

    @Test
    void noCommandInstallsThePackage() {
        Rejected absent = new Rejected(new Candidate(Source.PROJECT, "/gone"), "python.absent", "");
        Rejected lacks = new Rejected(new Candidate(Source.MODULE, "/my env/python"), "python.package", "");
        assertEquals("", Start.installCommand(List.of(absent, lacks)));
        assertEquals(Start.pythonFor(System.getProperty("os.name")), Start.installCommand(List.of(absent)));
    }

    @ParameterizedTest
    @CsvSource({"Windows 11, winget", "Mac OS X, brew", "Linux, apt-get"})
    void pythonIsInstalledAsTheSystemDoes(String system, String tool) {
        assertTrue(Start.pythonFor(system).contains(tool));
    }
}
