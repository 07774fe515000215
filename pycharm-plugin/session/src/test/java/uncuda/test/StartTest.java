package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.intellij.execution.ExecutionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.eclipse.lsp4j.ConfigurationItem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the way from an opened file to the command line of the server, in JetBrains' core. */
class StartTest {
    private static final String PYTHON = System.getProperty("test.python");

    @TempDir
    Path folder;
    private Path program;

    @BeforeEach
    void write() throws Exception {
        program = Files.writeString(folder.resolve("a.py"), "import torch\n");
    }

    @AfterEach
    void forget() throws Exception {
        ShellEnvironment.forget();
    }

    private MiniPlatform ide() throws Exception {
        return new MiniPlatform(MiniPlatform.JAR, folder);
    }

    private static List<String> command(MiniPlatform ide, Path file) throws Exception {
        return ide.open(file).get(0).createCommandLine().toProcessBuilder().command();
    }

    @Test
    void onlyPythonFilesStartAServer() throws Exception {
        try (MiniPlatform ide = ide()) {
            assertEquals(1, ide.open(program).size());
            assertEquals(1, ide.open(Files.createFile(folder.resolve("a.pyi"))).size());
            assertEquals(0, ide.open(Files.createFile(folder.resolve("a.txt"))).size());
        }
    }

    @Test
    void pythonIsThatOfTheSettingThenTheModuleThenTheProject() throws Exception {
        Path inProject = link("project"), inModule = link("module"), inSetting = link("setting");
        String launcher = MiniPlatform.FOLDER.resolve("server/launch.py").toRealPath().toString();
        try (MiniPlatform ide = ide()) {
            ide.projectSdk = MiniPlatform.sdk("Python SDK", inProject.toString());
            List<String> command = command(ide, program);
            assertEquals(List.of(inProject.toString(), "-I"), command.subList(0, 2));
            assertEquals(launcher, Path.of(command.get(2)).toRealPath().toString());
            assertEquals(List.of("server", "--stdio"), command.subList(3, 5));
            ide.moduleSdk = MiniPlatform.sdk("Python SDK", inModule.toString());
            assertEquals(inModule.toString(), command(ide, program).get(0));
            Settings.set(ide.project, "interpreter", inSetting.toString());
            assertEquals(inSetting.toString(), command(ide, program).get(0));
        }
    }

    /**
     * On macOS the IDE's own PATH differs from that of the user's shell, which the IDE gives to the programs that it
     * starts.
     */
    @Test
    void pythonOfPathIsThatOfTheProgramsThatTheIdeStarts() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin")), python = link("bin/python3");
        ShellEnvironment.set(Map.of("PATH", bin.toString()));
        try (MiniPlatform ide = ide()) {
            assertEquals(python.toString(), command(ide, program).get(0));
            assertEquals(List.of(), ide.answers.balloons());
        }
    }

    @Test
    void settingMayBeANameOrLieInTheProject() throws Exception {
        Path bin = Files.createDirectory(folder.resolve("bin")), python = link("bin/python3.99");
        ShellEnvironment.set(Map.of("PATH", bin.toString()));
        try (MiniPlatform ide = ide()) {
            for (String setting : List.of("python3.99", "bin/python3.99", python.toString())) {
                Settings.set(ide.project, "interpreter", setting);
                assertEquals(python.toString(), command(ide, program).get(0));
            }
        }
    }

    /** If the Python of the setting cannot be used, no other Python is tried. */
    @Test
    void settingThatDoesNotDoIsABalloonAndNoOtherPython() throws Exception {
        try (MiniPlatform ide = ide()) {
            ide.moduleSdk = MiniPlatform.sdk("Python SDK", PYTHON);
            Settings.set(ide.project, "locale", "en");
            Settings.set(ide.project, "interpreter", folder.resolve("gone").toString());
            assertThrows(ExecutionException.class, () -> command(ide, program));
            Answers.Balloon balloon = ide.answers.balloons().get(0);
            assertTrue(balloon.content().startsWith("The Python that the settings name cannot run"), balloon.content());
            assertTrue(balloon.content().contains("gone: is not there"), balloon.content());
            assertEquals(List.of("Open settings", "ShowLog"), balloon.actions());
        }
    }

    /** The IDE waits for the provider when a file is opened, but calls createCommandLine in the background. */
    @Test
    void nothingIsRunBeforeTheCommandLineIsAskedFor() throws Exception {
        Path marker = folder.resolve("marker"), python = folder.resolve("marking");
        Files.writeString(python, "#!/bin/sh\n: > '" + marker + "'\nexec '" + PYTHON + "' \"$@\"\n");
        assertTrue(python.toFile().setExecutable(true));
        try (MiniPlatform ide = ide()) {
            Settings.set(ide.project, "interpreter", python.toString());
            var descriptor = ide.open(program).get(0);
            assertFalse(Files.exists(marker));
            descriptor.createCommandLine();
            assertTrue(Files.exists(marker));
        }
    }

    @Test
    void sdkOfAnotherLanguageIsNoPython() throws Exception {
        try (MiniPlatform ide = ide()) {
            ide.moduleSdk = MiniPlatform.sdk("JavaSDK", System.getProperty("java.home"));
            ide.projectSdk = MiniPlatform.sdk("Python SDK", PYTHON);
            assertEquals(PYTHON, command(ide, program).get(0));
        }
    }

    @Test
    void failureIsOneBalloonThatSaysWhatToDo() throws Exception {
        try (MiniPlatform ide = ide()) {
            ide.projectSdk = MiniPlatform.sdk("Python SDK", "docker://image/usr/bin/python3");
            ide.moduleSdk = MiniPlatform.sdk("Python SDK", withoutPackage().toString());
            Settings.set(ide.project, "importStrategy", "fromEnvironment");
            Settings.set(ide.project, "locale", "en");
            var descriptor = ide.open(program).get(0);
            ExecutionException error = assertThrows(ExecutionException.class, descriptor::createCommandLine);
            descriptor.getLspServerListener().serverStopped(false); // the IDE may send this for a start that failed
            Answers.Balloon balloon = ide.answers.balloons().get(0);
            assertEquals(1, ide.answers.balloons().size());
            assertTrue(error.getMessage().contains("is remote (SSH, Docker or WSL)"), error.getMessage());
            assertTrue(balloon.content().contains("has no package uncuda"), balloon.content());
            // no button installs the package, because no package index has it
            assertEquals(List.of("Open settings", "ShowLog"), balloon.actions());
        }
    }

    @Test
    void withoutAnyPythonThereIsACommandThatInstallsOne() throws Exception {
        try (MiniPlatform ide = ide()) {
            Settings.set(ide.project, "locale", "en");
            assertThrows(ExecutionException.class, () -> command(ide, program));
            assertEquals(List.of("Open settings", "Copy install command", "ShowLog"),
                    ide.answers.balloons().get(0).actions());
        }
    }

    @Test
    void serverThatDiesIsABalloonAndOneThatEndsIsNone() throws Exception {
        try (MiniPlatform ide = ide()) {
            ide.open(program).get(0).getLspServerListener().serverStopped(true);
            assertEquals(List.of(), ide.answers.balloons());
            Settings.set(ide.project, "locale", "zh");
            ide.open(program).get(0).getLspServerListener().serverStopped(false);
            assertEquals(List.of("重启", "打开设置", "ShowLog"), ide.answers.balloons().get(0).actions());
        }
    }

    @Test
    void settingsReachTheServerBothWays() throws Exception {
        try (MiniPlatform ide = ide()) {
            Settings.set(ide.project, "target", "musa");
            var descriptor = ide.open(program).get(0);
            assertEquals(Map.of("settings", Map.of("target", "musa")), descriptor.createInitializationOptions());
            ConfigurationItem item = new ConfigurationItem();
            item.setSection("uncuda");
            assertEquals(Map.of("target", "musa"), descriptor.getWorkspaceConfiguration(item));
        }
    }

    /** Return another path of the same Python. */
    private Path link(String name) throws Exception {
        Path link = folder.resolve(name);
        Files.writeString(link, "#!/bin/sh\nexec '" + PYTHON + "' \"$@\"\n");
        assertTrue(link.toFile().setExecutable(true));
        return link;
    }

    private Path withoutPackage() throws Exception {
        Path python = folder.resolve("empty");
        Files.writeString(python, "#!/bin/sh\nexec '" + PYTHON + "' -I -S \"$@\"\n");
        assertTrue(python.toFile().setExecutable(true));
        return python;
    }
}
