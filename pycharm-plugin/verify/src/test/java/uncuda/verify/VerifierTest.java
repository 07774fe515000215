package uncuda.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** JetBrains' plugin verifier, as its users run it, on the shipped zip and on broken ones. */
class VerifierTest {
    private static final String PROJECT = "com/intellij/openapi/project/Project";
    private static final int SECONDS = 180;

    @TempDir
    static Path shared;
    private static Path ide;

    @TempDir
    Path folder;

    /** {@code verdict}: empty where the plugin was not even checked. */
    private record Run(String output, String verdict, String problems) {
    }

    @BeforeAll
    static void makeIde() throws Exception {
        ide = FakeIde.create(shared.resolve("ide"), "PY-252.25557.178");
    }

    @Test
    void shippedZipIsCompatible() throws Exception {
        Run run = verify(PluginZip.SHIPPED);
        assertEquals("Compatible", run.verdict, run.output);
        assertEquals("", run.problems, run.output);
    }

    @Test
    void missingMethodAndClassAreProblems() throws Exception {
        PluginZip zip = new PluginZip();
        zip.jar.put("uncuda/ide/Bad.class", callingWhatIsMissing());
        Run run = verify(zip.write(folder.resolve("bad.zip")));
        assertEquals("2 compatibility problems", run.verdict, run.output);
        assertTrue(run.problems.contains("method com.intellij.openapi.project.Project.noSuchMethod()"), run.problems);
        assertTrue(run.problems.contains("class com.intellij.openapi.NoSuchClass"), run.problems);
    }

    @Test
    void missingModuleIsAProblem() throws Exception {
        PluginZip zip = new PluginZip();
        zip.edit("com.intellij.modules.lsp<", "com.intellij.modules.nosuch<");
        Run run = verify(zip.write(folder.resolve("bad.zip")));
        assertTrue(run.verdict.startsWith("1 missing mandatory dependency"), run.output);
    }

    @Test
    void zipWithoutANameIsInvalid() throws Exception {
        PluginZip zip = new PluginZip();
        zip.edit("<name>uncuda</name>", "");
        Run run = verify(zip.write(folder.resolve("bad.zip")));
        assertEquals("", run.verdict, run.output);
        assertTrue(run.output.contains("The property <name> is not specified"), run.output);
    }

    /** The exit code is 0 whatever was found, even for an invalid plugin: only the reports tell. */
    private Run verify(Path zip) throws Exception {
        Path reports = folder.resolve("reports"), output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dplugin.verifier.home.dir=" + folder.resolve("home"), // or it writes to the user's
                "-jar", System.getProperty("test.verifier"), "check-plugin", zip.toString(), ide.toString(),
                "-offline", "-runtime-dir", System.getProperty("java.home"), "-vrd", reports.toString())
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), "the verifier does not end");
        } finally {
            process.destroyForcibly();
        }
        return new Run(Files.readString(output), report(reports, "verification-verdict.txt"),
                report(reports, "compatibility-problems.txt"));
    }

    private static String report(Path reports, String name) throws Exception {
        if (!Files.isDirectory(reports)) {
            return "";
        }
        try (Stream<Path> files = Files.walk(reports)) {
            List<Path> found = files.filter(file -> file.endsWith(name)).toList();
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
