package uncuda.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.jetbrains.plugin.structure.base.plugin.PluginCreationFail;
import com.jetbrains.plugin.structure.base.plugin.PluginCreationResult;
import com.jetbrains.plugin.structure.base.plugin.PluginCreationSuccess;
import com.jetbrains.plugin.structure.base.problems.PluginProblem;
import com.jetbrains.plugin.structure.intellij.plugin.IdePlugin;
import com.jetbrains.plugin.structure.intellij.plugin.IdePluginManager;
import com.jetbrains.plugin.structure.intellij.version.IdeVersion;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the checks that the Marketplace makes when a plugin is uploaded, with JetBrains' own library. */
class StructureTest {
    @TempDir
    Path folder;

    @Test
    void shippedZipHasNotEvenAWarning() {
        assertEquals(List.of(), problems(PluginZip.SHIPPED));
    }

    @ParameterizedTest
    @CsvSource({"PY-252.25557.178, true", "PY-262.9437.65, true", "IU-253.20000.1, true", "PY-252.23892.515, false"})
    void idesFrom2025_2_1OnAreTaken(String build, boolean accepted) {
        PluginCreationSuccess<IdePlugin> result = (PluginCreationSuccess<IdePlugin>) create(PluginZip.SHIPPED);
        assertEquals(accepted, result.getPlugin().isCompatibleWithIde(IdeVersion.createIdeVersion(build)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "<name>uncuda</name> | <!-- --> | <name>",
        "<name>uncuda</name> | <name>uncuda for PyCharm</name> | PyCharm",
        "<name>uncuda</name> | <name>uncuda Plugin</name> | plugin",
        "<id>uncuda</id> | <id>com.example.uncuda</id> | com.example",
        "<id>uncuda</id> | <id>dev.pycharm</id> | pycharm",
        "<p>Finds what | <p>查找 | Latin",
        "252.25557 | 2025.2.1 | since-build",
        "252.25557 | 252.* | since-build",
        "<version>0.1.0</version> | <!-- --> | version",
        "<vendor>uncuda contributors</vendor> | <!-- --> | vendor",
    })
    void brokenDescriptorIsRefused(String from, String to, String expected) throws Exception {
        PluginZip zip = new PluginZip();
        zip.edit(from, to);
        List<String> problems = problems(zip.write(folder.resolve("bad.zip")));
        assertTrue(problems.stream().anyMatch(problem -> problem.contains(expected)), problems.toString());
    }

    private static PluginCreationResult<IdePlugin> create(Path zip) {
        return IdePluginManager.createManager().createPlugin(zip);
    }

    /** Return errors and warnings, because the Marketplace also refuses some plugins with warnings. */
    private static List<String> problems(Path zip) {
        PluginCreationResult<IdePlugin> result = create(zip);
        Stream<PluginProblem> problems;
        if (result instanceof PluginCreationFail<IdePlugin> failed) {
            problems = failed.getErrorsAndWarnings().stream();
        } else {
            PluginCreationSuccess<?> created = assertInstanceOf(PluginCreationSuccess.class, result);
            problems = Stream.concat(created.getWarnings().stream(), created.getUnacceptableWarnings().stream());
        }
        return problems.map(problem -> problem.getLevel() + ": " + problem.getMessage()).toList();
    }
}
