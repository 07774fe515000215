package uncuda.core;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The environment variables of the programs that are started, and the search for a program in PATH. */
public record Environment(Map<String, String> variables, boolean isWindows) {
    /**
     * {@code variables}: the environment variables that the IDE gives to programs. On macOS the IDE itself has others,
     * without the user's PATH.
     */
    public static Environment of(Map<String, String> variables) {
        return new Environment(variables, System.getProperty("os.name", "").startsWith("Windows"));
    }

    /**
     * The absolute paths of a program, in the order of PATH. Relative entries are ignored, because their meaning
     * depends on the current folder.
     */
    List<String> find(String program) {
        String name = isWindows && !program.toLowerCase(Locale.ROOT).endsWith(".exe") ? program + ".exe" : program;
        String path = variables.get("PATH");
        List<String> found = new ArrayList<>();
        for (String entry : path == null ? new String[0] : path.split(File.pathSeparator)) {
            try {
                Path file = Path.of(entry, name);
                // links are not followed: programs of the Microsoft Store cannot be examined, but can be run
                if (file.isAbsolute() && Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(file)) {
                    found.add(file.toString());
                }
            } catch (InvalidPathException e) {
                continue; // an entry of PATH may be no valid path
            }
        }
        return found;
    }
}
