package uncuda.surface;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The plugin, the stubs and what is recorded of JetBrains' api dumps agree. That is not how the IDE behaves: it shows
 * that what the plugin names was there, at the commits that api-surface.txt names.
 */
class SurfaceTest {
    private static final Path PLUGIN = Path.of(System.getProperty("test.plugin"), "lib", "uncuda.jar");
    private static Surface surface;
    private static Map<String, ClassFile> stubs;

    @BeforeAll
    static void read() throws Exception {
        surface = new Surface(Path.of(System.getProperty("test.surface")));
        stubs = new TreeMap<>();
        for (String folder : Set.of("test.stubs", "test.shrunk")) {
            ClassFile.in(Path.of(System.getProperty(folder))).forEach(stub -> stubs.put(stub.name(), stub));
        }
        stubs.remove("com.intellij.Stub");
    }

    @Test
    void everythingThatThePluginNamesIsRecorded() throws Exception {
        Set<String> missing = new TreeSet<>();
        for (ClassFile one : ClassFile.in(PLUGIN)) {
            missing.addAll(surface.missing(one));
        }
        assertEquals(Set.of(), missing);
    }

    @Test
    void nothingIsRecordedThatNobodyUses() throws Exception {
        Set<String> used = new TreeSet<>(stubs.keySet());
        for (ClassFile one : ClassFile.in(PLUGIN)) {
            used.addAll(one.references().keySet());
        }
        surface.types.values().forEach(type -> used.addAll(type.parents()));
        assertEquals(Set.of(), surface.types.keySet().stream().filter(name -> !used.contains(name))
                .collect(Collectors.toSet()));
    }

    /** They exist in 2026.1.4 and later only, and our oldest IDE is 2025.2.1. */
    @Test
    void noneOfTheNewerNamesIsUsed() throws Exception {
        for (ClassFile one : ClassFile.in(PLUGIN)) {
            List<String> newer = one.references().keySet().stream()
                    .filter(name -> name.matches(".*\\.Lsp(Client|Integration).*")).toList();
            assertEquals(List.of(), newer, one.name());
        }
    }

    /** What chooses, words and reports is tested without an IDE, so it may know none: nor Swing, nor our own part for it. */
    @Test
    void coreKnowsNoIde() throws Exception {
        List<ClassFile> core = ClassFile.in(PLUGIN).stream().filter(one -> one.name().startsWith("uncuda.core.")).toList();
        assertTrue(core.size() > 10);
        core.forEach(one -> assertEquals(List.of(), ofAnIde(one), one.name()));
        ClassFile.in(PLUGIN).stream().filter(one -> one.name().equals("uncuda.ide.ServerAction"))
                .forEach(one -> assertTrue(ofAnIde(one).contains("com.intellij.openapi.project.Project")));
    }

    private static List<String> ofAnIde(ClassFile one) {
        return one.references().keySet().stream()
                .filter(name -> name.matches("(com\\.intellij|com\\.jetbrains|javax\\.swing|java\\.awt|uncuda\\.ide)\\..*")).toList();
    }

    @Test
    void stubsAreWhatIsRecorded() {
        assertFalse(stubs.isEmpty());
        stubs.forEach((name, stub) -> {
            Surface.Type recorded = surface.types.get(name);
            assertTrue(recorded != null, name);
            assertEquals(withoutConstructor(recorded.members()), withoutConstructor(stub.members()), name);
            assertEquals(recorded.parents(), stub.parents(), name);
        });
    }

    /** A stub that nobody constructs has the constructor that Java gives it. */
    private static Set<String> withoutConstructor(Set<String> members) {
        return members.stream().filter(member -> !member.endsWith("<init>():V")).collect(Collectors.toSet());
    }

    @Test
    void theRestIsInJetBrainsCore() {
        surface.types.forEach((name, type) -> {
            if (!stubs.containsKey(name)) {
                type.members().forEach(member -> assertTrue(Surface.declares(name, member), name + "." + member));
            }
        });
    }

    /** What works here in the place of a stub has its signatures, and perhaps more that only tests see. */
    @Test
    void standInsHaveTheSignaturesOfTheirStubs() throws Exception {
        Path tests = Path.of(SurfaceTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        int found = 0;
        for (ClassFile standIn : ClassFile.in(tests)) {
            ClassFile stub = stubs.get(standIn.name());
            if (stub != null) {
                assertEquals(withoutConstructor(stub.members()), withoutConstructor(standIn.members()), standIn.name());
                assertEquals(stub.parents(), standIn.parents(), standIn.name());
                found++;
            }
        }
        assertEquals(11, found);
    }

    @Test
    void missingMethodAndClassAreFound() {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, "uncuda/ide/Bad", null, "java/lang/Object", null);
        String project = "com/intellij/openapi/project/Project";
        MethodVisitor method = writer.visitMethod(Opcodes.ACC_STATIC, "bad", "(Lcom/intellij/NoSuch;)V", null, null);
        method.visitCode();
        method.visitInsn(Opcodes.ACONST_NULL);
        method.visitMethodInsn(Opcodes.INVOKEINTERFACE, project, "noSuchMethod", "()V", true);
        method.visitInsn(Opcodes.RETURN);
        method.visitMaxs(1, 1);
        method.visitEnd();
        writer.visitEnd();
        assertEquals(Set.of("com.intellij.NoSuch", "com.intellij.openapi.project.Project.noSuchMethod():V"),
                surface.missing(new ClassFile(writer.toByteArray())));
    }
}
