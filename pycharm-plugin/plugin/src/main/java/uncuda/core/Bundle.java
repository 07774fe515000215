package uncuda.core;

import java.nio.file.Files;
import java.nio.file.Path;

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
}
