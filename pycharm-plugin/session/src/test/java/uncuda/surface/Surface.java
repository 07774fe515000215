package uncuda.surface;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** api-surface.txt: the part of JetBrains' api dumps that the plugin uses. */
final class Surface {
    /** {@code members} with flags; {@code parents}: those of its supertypes that matter here. */
    record Type(Set<String> parents, Set<String> members) {
    }

    final Map<String, Type> types = new TreeMap<>();

    Surface(Path file) throws IOException {
        Type type = null;
        for (String line : Files.readAllLines(file)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (!line.startsWith("- ")) {
                type = new Type(new TreeSet<>(), new TreeSet<>());
                types.put(line.substring(line.indexOf(':') + 1), type);
            } else if (line.contains(":")) {
                type.members.add(line.substring(2));
            } else {
                type.parents.add(line.substring(2));
            }
        }
    }

    /** What a class refers to and the surface does not have. */
    Set<String> missing(ClassFile one) {
        Set<String> missing = new TreeSet<>();
        one.references().forEach((owner, members) -> {
            if (!owner.startsWith("com.intellij.")) {
                return;
            }
            if (!types.containsKey(owner)) {
                missing.add(owner);
            }
            members.stream().filter(member -> !has(owner, member)).forEach(member -> missing.add(owner + "." + member));
        });
        return missing;
    }

    private boolean has(String owner, String member) {
        Type type = types.get(owner);
        if (type == null) {
            return !owner.startsWith("com.intellij.") && declares(owner, member);
        }
        return type.members.stream().anyMatch(one -> Notation.bare(one).equals(member))
                || type.parents.stream().anyMatch(parent -> has(parent, member));
    }

    /** Whether a class that can be loaded here, its parents included, has a member. */
    static boolean declares(String name, String member) {
        try (InputStream in = Surface.class.getClassLoader().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                return false;
            }
            ClassFile file = new ClassFile(in.readAllBytes());
            return file.members().stream().anyMatch(one -> Notation.bare(one).equals(Notation.bare(member)))
                    || file.parents().stream().anyMatch(parent -> declares(parent, member));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
