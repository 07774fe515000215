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

/** The variables that programs are started with, and where in PATH programs lie. */
public record Environment(Map<String, String> variables, boolean isWindows) {
    /** {@code variables}: as the IDE gives them to programs. On macOS it has others itself, without the user's PATH. */
    public static Environment of(Map<String, String> variables) {
        return new Environment(variables, System.getProperty("os.name", "").startsWith("Windows"));
    }

    /** Where a program lies, by absolute paths in the order of PATH. What a relative entry means depends on the folder. */
    List<String> find(String program) {
        String name = isWindows && !program.toLowerCase(Locale.ROOT).endsWith(".exe") ? program + ".exe" : program;
        String path = variables.get("PATH");
        List<String> found = new ArrayList<>();
        for (String entry : path == null ? new String[0] : path.split(File.pathSeparator)) {
            try {
                Path file = Path.of(entry, name);
                // not followed: what Windows' store puts there cannot be looked at, and runs
                if (file.isAbsolute() && Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(file)) {
                    found.add(file.toString());
                }
            } catch (InvalidPathException e) {
                continue; // PATH may hold anything
            }
        }
        return found;
    }
}
