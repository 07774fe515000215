package uncuda.verify;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.ClassNode;

/**
 * A folder that the plugin verifier accepts as an IDE. Its platform consists of kotlin-compiler's classes with the
 * members that the plugin's platform types declare; so the verifier's result is only as right as these types.
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
                    platform.merge(name, Files.readAllBytes(file), FakeIde::union);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** Return one class with the members of both; of two classes with the same name the verifier would use either. */
    private static byte[] union(byte[] core, byte[] ours) {
        ClassNode both = node(core), more = node(ours);
        Set<String> known = new HashSet<>();
        both.methods.forEach(method -> known.add(method.name + method.desc));
        more.methods.stream().filter(method -> !known.contains(method.name + method.desc)).forEach(both.methods::add);
        both.version = Math.max(both.version, more.version);
        ClassWriter writer = new ClassWriter(0);
        both.accept(writer);
        return writer.toByteArray();
    }

    private static ClassNode node(byte[] bytes) {
        ClassNode node = new ClassNode();
        new ClassReader(bytes).accept(node, 0);
        return node;
    }
}
