package uncuda.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The server that comes with the plugin: the folder {@code server} beside {@code lib}, which holds our jar. */
public final class Bundle {
    private final Path folder;

    public Bundle(Path ownJar) {
        folder = ownJar.getParent().resolveSibling("server");
    }

    /** Where Python is started: never in a project, whose modules it would find. If ours is gone, a folder of Java's. */
    public Path folder() {
        return Files.isDirectory(folder) ? folder : Path.of(System.getProperty("java.home"));
    }

    public Path launcher() {
        return folder.resolve("launch.py");
    }

    /** The accelerators that it knows; none if it is not there. */
    public List<String> targets() {
        try (Stream<Path> files = Files.list(folder.resolve("libs/uncuda/rules/targets"))) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".toml"))
                    .map(name -> name.substring(0, name.length() - ".toml".length())).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
