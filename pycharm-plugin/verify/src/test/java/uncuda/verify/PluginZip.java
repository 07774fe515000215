package uncuda.verify;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** The shipped zip in memory, which tests examine or break. */
final class PluginZip {
    static final Path SHIPPED = Path.of(System.getProperty("test.zip"));
    static final String JAR = "uncuda/lib/uncuda.jar";
    private static final String DESCRIPTOR = "META-INF/plugin.xml";

    /** The files of the zip, and those of the jar inside it, by their path. */
    final Map<String, byte[]> files;
    final Map<String, byte[]> jar;

    PluginZip() throws IOException {
        try (InputStream zip = Files.newInputStream(SHIPPED)) {
            files = read(zip);
        }
        jar = read(new ByteArrayInputStream(files.get(JAR)));
    }

    void edit(String from, String to) {
        String xml = new String(jar.get(DESCRIPTOR), StandardCharsets.UTF_8);
        if (!xml.contains(from)) {
            throw new AssertionError("plugin.xml has no " + from);
        }
        jar.put(DESCRIPTOR, xml.replace(from, to).getBytes(StandardCharsets.UTF_8));
    }

    /** Write the zip without the server, which these tests do not examine. */
    Path write(Path file) throws IOException {
        return Files.write(file, zip(Map.of(JAR, zip(jar))));
    }

    private static Map<String, byte[]> read(InputStream in) throws IOException {
        Map<String, byte[]> found = new TreeMap<>();
        ZipInputStream zip = new ZipInputStream(in);
        for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
            if (!entry.isDirectory()) {
                found.put(entry.getName(), zip.readAllBytes());
            }
        }
        return found;
    }

    static byte[] zip(Map<String, byte[]> files) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.setLevel(1);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(file.getKey()));
                zip.write(file.getValue());
            }
        }
        return bytes.toByteArray();
    }
}
