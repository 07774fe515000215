package uncuda.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The server that comes with the plugin: the folder {@code server} beside {@code lib}, which holds our jar. */
public final class Bundle {
    private static final String ENDING = ".toml";
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

    /** The accelerators that it knows, after leaving the choice to the project; no more if it is not there. */
    public List<SettingValue> targets(Messages messages) {
        List<SettingValue> found = new ArrayList<>(List.of(new SettingValue("", messages.get("choice.target"))));
        try (Stream<Path> files = Files.list(folder.resolve("libs/uncuda/rules/targets"))) {
            for (Path file : files.filter(one -> one.toString().endsWith(ENDING)).sorted().toList()) {
                String name = file.getFileName().toString();
                String value = name.substring(0, name.length() - ENDING.length());
                found.add(new SettingValue(value, title(file, messages.isChinese() ? "title-zh" : "title", value)));
            }
        } catch (IOException e) {
            return found;
        }
        return found;
    }

    /** The first line of the file that sets {@code key}. */
    private static String title(Path file, String key, String value) throws IOException {
        Matcher line = Pattern.compile("(?m)^" + key + " = \"(.*)\"$").matcher(Files.readString(file));
        return line.find() ? line.group(1) + " (" + value + ")" : value;
    }
}
