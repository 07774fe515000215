package uncuda.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests that the types against which the plugin is compiled declare only the members that JetBrains' api dumps list, at
 * the commits that api-surface.txt names. They do not show how the IDE behaves. The verifier shows that the plugin uses
 * only these types and JetBrains' core.
 */
class SurfaceTest {
    private static final Path PLUGIN = Path.of(System.getProperty("test.plugin"), "lib", "uncuda.jar");
    private static final Path PLATFORM = Path.of(System.getProperty("test.platform"));
    /** For each name of a type: its supertypes and members, in the notation of the dumps. */
    private static final Map<String, Set<String>> RECORDED = new TreeMap<>(), DECLARED = new TreeMap<>();
    /** Of these only the names are recorded. */
    private static final Set<String> OF_NO_DUMP = new TreeSet<>();
    /** By the path of a class of the plugin: what it names. Constants of class files are plain text. */
    private static final Map<String, String> CLASSES = new TreeMap<>();

    @BeforeAll
    static void read() throws Exception {
        String name = "";
        boolean hasDump = true;
        for (String line : Files.readAllLines(Path.of(System.getProperty("test.surface")))) {
            if (line.startsWith("- ")) {
                RECORDED.get(name).add(line.substring(2));
            } else if (line.startsWith("# ")) {
                hasDump = !line.startsWith("# none");
            } else if (!line.isBlank()) {
                name = line.substring(line.indexOf(':') + 1);
                RECORDED.put(name, new TreeSet<>());
                if (!hasDump) {
                    OF_NO_DUMP.add(name);
                }
            }
        }
        try (FileSystem jar = FileSystems.newFileSystem(PLUGIN); Own loader = new Own()) {
            for (Path file : classes(jar.getPath("/"))) {
                CLASSES.put(file.toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
            for (Path file : classes(PLATFORM)) {
                String type = PLATFORM.relativize(file).toString().replaceFirst("\\.class$", "").replace('/', '.');
                // Stub and anonymous classes are not types of the platform
                if (!type.matches("com\\.intellij\\.Stub|.*\\$\\d+")) {
                    DECLARED.put(type, dump(loader.loadClass(type)));
                }
            }
        }
    }

    private static List<Path> classes(Path root) throws Exception {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".class")).toList();
        }
    }

    /** Loads a type from the project's platform types, even if the core has a type of the same name. */
    private static final class Own extends URLClassLoader {
        Own() throws Exception {
            super(new URL[] {PLATFORM.toUri().toURL()}, SurfaceTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean ours = Files.exists(PLATFORM.resolve(name.replace('.', '/') + ".class"));
            Class<?> loaded = ours ? findLoadedClass(name) : super.loadClass(name, resolve);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    /** Return the supertypes, and the public and protected members. */
    private static Set<String> dump(Class<?> type) {
        Set<String> lines = new TreeSet<>();
        if (type.getSuperclass() != null && type.getSuperclass() != Object.class) {
            lines.add(type.getSuperclass().getName());
        }
        Arrays.stream(type.getInterfaces()).forEach(parent -> lines.add(parent.getName()));
        for (Member[] members : List.of(type.getDeclaredConstructors(), type.getDeclaredMethods(), type.getDeclaredFields())) {
            Arrays.stream(members).filter(one -> !one.isSynthetic()
                    && (one.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0).map(SurfaceTest::line).forEach(lines::add);
        }
        return lines;
    }

    private static String line(Member member) {
        int modifiers = member.getModifiers();
        String flags = (Modifier.isProtected(modifiers) ? "p" : "") + (Modifier.isStatic(modifiers) ? "s" : "")
                + (Modifier.isFinal(modifiers) ? "f" : "") + (Modifier.isAbstract(modifiers) ? "a" : "");
        String name = member instanceof Constructor ? "<init>" : member.getName();
        String parameters = !(member instanceof Executable code) ? "" : Arrays.stream(code.getParameterTypes())
                .map(SurfaceTest::name).collect(Collectors.joining(",", "(", ")"));
        Class<?> result = member instanceof Field field ? field.getType()
                : member instanceof Method method ? method.getReturnType() : void.class;
        return (flags.isEmpty() ? "" : flags + ":") + name + parameters + ":" + name(result);
    }

    private static String name(Class<?> type) {
        return type.isPrimitive() ? type.descriptorString()
                : type.isArray() ? name(type.componentType()) + "[]" : type.getName();
    }

    @Test
    void typesOfThePlatformAreWhatIsRecorded() {
        assertTrue(DECLARED.size() > 40);
        assertEquals(RECORDED.keySet(), DECLARED.keySet());
        RECORDED.forEach((name, lines) -> assertEquals(OF_NO_DUMP.contains(name) ? Set.of() : withoutConstructor(DECLARED.get(name)),
                withoutConstructor(lines), name));
    }

    /** Remove the constructor without parameters, which Java adds to types that declare none. */
    private static Set<String> withoutConstructor(Set<String> lines) {
        return lines.stream().filter(line -> !line.endsWith("<init>():V")).collect(Collectors.toCollection(TreeSet::new));
    }

    /** A type with members of every kind, so that a difference in the notation is noticed. */
    abstract static class Sample extends Thread implements Cloneable {
        public static final int[] FIELD = {};

        protected Sample(String name) {
        }

        protected abstract boolean hook(Map.Entry<String, ?>[] some, boolean flag);

        void own() {
        }
    }

    @Test
    void notationIsThatOfTheDumps() {
        assertEquals(Set.of("java.lang.Thread", "java.lang.Cloneable", "sf:FIELD:I[]", "p:<init>(java.lang.String):V",
                "pa:hook(java.util.Map$Entry[],Z):Z"), dump(Sample.class));
    }

    @Test
    void nothingIsRecordedThatNobodyUses() {
        Set<String> used = new TreeSet<>();
        RECORDED.keySet().stream().filter(name -> CLASSES.values().stream()
                .anyMatch(text -> text.contains(name.replace('.', '/')))).forEach(name -> add(used, name));
        assertEquals(RECORDED.keySet(), used);
    }

    private static void add(Set<String> used, String name) {
        if (RECORDED.containsKey(name) && used.add(name)) {
            DECLARED.get(name).forEach(parent -> add(used, parent));
        }
    }

    /** These types exist only in 2026.1.4 and later, and the oldest supported IDE is 2025.2.1. */
    @Test
    void noneOfTheNewerNamesIsUsed() {
        assertEquals(Set.of(), naming("com/intellij/platform/lsp/api/(lsWidget/)?Lsp(Client|Integration)"));
        assertTrue(naming("com/intellij/platform/lsp/api/LspServer").size() > 2);
    }

    /** The package uncuda.core is tested without an IDE, so it may use neither the IDE nor Swing nor uncuda.ide. */
    @Test
    void coreKnowsNoIde() {
        Set<String> knowing = naming("(com/intellij|com/jetbrains|javax/swing|java/awt|uncuda/ide)/");
        assertTrue(CLASSES.keySet().stream().filter(name -> name.startsWith("/uncuda/core/")).count() > 10);
        assertEquals(Set.of(), knowing.stream().filter(name -> name.startsWith("/uncuda/core/")).collect(Collectors.toSet()));
        assertTrue(knowing.contains("/uncuda/ide/ServerAction.class"));
    }

    private static Set<String> naming(String pattern) {
        Pattern wanted = Pattern.compile(pattern);
        return CLASSES.entrySet().stream().filter(one -> wanted.matcher(one.getValue()).find()).map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
