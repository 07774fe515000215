package uncuda.verify;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A folder that the plugin verifier accepts as an IDE. Its platform consists of kotlin-compiler's classes and of the
 * types of api-surface.txt, which replace those of the same name; so the verifier's result is only as right as the list.
 */
final class FakeIde {
    private static final String CORE_PLUGIN = """
            <idea-plugin>
              <id>com.intellij</id>
              <name>IDEA CORE</name>
              <vendor>JetBrains</vendor>
              <module value="com.intellij.modules.platform"/>
              <module value="com.intellij.modules.lsp"/>
              <module value="com.intellij.modules.json"/>
            </idea-plugin>
            """;

    private FakeIde() {
    }

    static Path create(Path ide, String build) throws IOException {
        Path lib = Files.createDirectories(ide.resolve("lib"));
        Files.createDirectories(ide.resolve("plugins"));
        Files.writeString(ide.resolve("build.txt"), build);
        for (String library : System.getProperty("test.libraries").split(File.pathSeparator)) {
            Files.copy(Path.of(library), lib.resolve(Path.of(library).getFileName()));
        }
        Map<String, byte[]> platform = new TreeMap<>();
        try (FileSystem core = FileSystems.newFileSystem(Path.of(System.getProperty("test.core")))) {
            add(platform, core.getPath("/"));
        }
        add(platform, Path.of(System.getProperty("test.platform")));
        platform.put("META-INF/plugin.xml", CORE_PLUGIN.getBytes(StandardCharsets.UTF_8));
        Files.write(lib.resolve("platform.jar"), PluginZip.zip(platform));
        return ide;
    }

    private static void add(Map<String, byte[]> platform, Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve("com"))) {
            files.filter(file -> file.toString().matches(".*/com/(intellij|jetbrains)/.*\\.class")).forEach(file -> {
                String name = root.relativize(file).toString().replace('\\', '/');
                try {
                    platform.put(name, Files.readAllBytes(file));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
