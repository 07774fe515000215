package uncuda.core;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The server that comes with the plugin, in the folder {@code server} beside the folder {@code lib}, which contains the
 * plugin's jar.
 */
public final class Bundle {
    private final Path folder;

    public Bundle(Path ownJar) {
        folder = ownJar.getParent().resolveSibling("server");
    }

    /**
     * The working directory of Python: never the project, because Python would import modules from it. If the bundled
     * server is missing, a folder of the Java installation.
     */
    public Path folder() {
        return Files.isDirectory(folder) ? folder : Path.of(System.getProperty("java.home"));
    }

    public Path launcher() {
        return folder.resolve("launch.py");
    }
}
