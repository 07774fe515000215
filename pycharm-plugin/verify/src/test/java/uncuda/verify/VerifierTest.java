package uncuda.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Runs JetBrains' plugin verifier once, as its users do, on the shipped zip and on broken ones. */
class VerifierTest {
    private static final String PROJECT = "com/intellij/openapi/project/Project";
    private static final int SECONDS = 180;

    @TempDir
    static Path folder;
    private static String output;

    @BeforeAll
    static void verify() throws Exception {
        Path ide = FakeIde.create(folder.resolve("ide"), "PY-252.25557.178");
        PluginZip missing = broken("1.0.1");
        missing.jar.put("uncuda/ide/Bad.class", callingWhatIsMissing());
        PluginZip moduleless = broken("1.0.2");
        moduleless.edit("com.intellij.modules.lsp<", "com.intellij.modules.nosuch<");
        PluginZip nameless = broken("1.0.3");
        nameless.edit("<name>uncuda</name>", "");
        Path list = Files.write(folder.resolve("list.txt"), List.of(PluginZip.SHIPPED.toString(),
                missing.write(folder.resolve("1.zip")).toString(), moduleless.write(folder.resolve("2.zip")).toString(),
                nameless.write(folder.resolve("3.zip")).toString()));
        run("check-plugin", "@" + list, ide.toString(), "-offline", "-runtime-dir", System.getProperty("java.home"),
                "-vrd", folder.resolve("reports").toString());
    }

    /** Return a broken plugin; the reports name the plugin by its version. */
    private static PluginZip broken(String version) throws Exception {
        PluginZip zip = new PluginZip();
        zip.edit("<version>0.1.0</version>", "<version>" + version + "</version>");
        return zip;
    }

    private static void run(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                // otherwise the verifier writes to the user's home folder
                "-Dplugin.verifier.home.dir=" + folder.resolve("home"),
                "-jar", System.getProperty("test.verifier")));
        command.addAll(List.of(arguments));
        Path said = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try {
            assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "the verifier does not end");
        } finally {
            process.destroyForcibly();
        }
        output = Files.readString(said);
    }

    @Test
    void shippedZipIsCompatible() throws Exception {
        assertEquals("Compatible", report("0.1.0", "verification-verdict.txt"), output);
        assertEquals("", report("0.1.0", "compatibility-problems.txt"), output);
    }

    @Test
    void missingMethodAndClassAreProblems() throws Exception {
        assertEquals("2 compatibility problems", report("1.0.1", "verification-verdict.txt"), output);
        String problems = report("1.0.1", "compatibility-problems.txt");
        assertTrue(problems.contains("method com.intellij.openapi.project.Project.noSuchMethod()"), problems);
        assertTrue(problems.contains("class com.intellij.openapi.NoSuchClass"), problems);
    }

    @Test
    void missingModuleIsAProblem() throws Exception {
        String verdict = report("1.0.2", "verification-verdict.txt");
        assertTrue(verdict.startsWith("1 missing mandatory dependency"), output);
    }

    @Test
    void zipWithoutANameIsInvalid() throws Exception {
        assertEquals("", report("1.0.3", "verification-verdict.txt"), output);
        assertTrue(output.contains("The property <name> is not specified"), output);
    }

    /** Return a report, or "" if there is none. The verifier's exit code is 0 even for an invalid plugin. */
    private static String report(String version, String name) throws Exception {
        try (Stream<Path> files = Files.walk(folder.resolve("reports"))) {
            List<Path> found = files.filter(file -> file.endsWith(Path.of(version, name))).toList();
            return found.isEmpty() ? "" : Files.readString(found.get(0)).strip();
        }
    }

    private static byte[] callingWhatIsMissing() {
        ClassWriter writer = new ClassWriter(0);
        writer.visit(Opcodes.V17, Opcodes.ACC_PUBLIC, "uncuda/ide/Bad", null, "java/lang/Object", null);
        MethodVisitor method = writer.visitMethod(Opcodes.ACC_STATIC, "bad", "(L" + PROJECT + ";)V", null, null);
        method.visitCode();
        method.visitVarInsn(Opcodes.ALOAD, 0);
        method.visitMethodInsn(Opcodes.INVOKEINTERFACE, PROJECT, "noSuchMethod", "()V", true);
        method.visitMethodInsn(Opcodes.INVOKESTATIC, "com/intellij/openapi/NoSuchClass", "run", "()V", false);
        method.visitInsn(Opcodes.RETURN);
        method.visitMaxs(1, 1);
        method.visitEnd();
        writer.visitEnd();
        return writer.toByteArray();
    }
}
