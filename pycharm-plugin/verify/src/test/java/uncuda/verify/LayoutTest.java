package uncuda.verify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** Tests which files the zip contains. */
class LayoutTest {
    private static final int JAVA_17 = 61;
    private static PluginZip zip;

    @BeforeAll
    static void read() throws Exception {
        zip = new PluginZip();
    }

    @Test
    void oneJarAndTheServer() {
        Set<String> parts = zip.files.keySet().stream()
                .map(name -> name.replaceFirst("(uncuda/server/libs/).*", "$1")).collect(Collectors.toSet());
        assertEquals(Set.of(PluginZip.JAR, "uncuda/server/launch.py", "uncuda/server/libs/"), parts);
        assertTrue(zip.files.containsKey("uncuda/server/libs/uncuda/__main__.py"));
        assertTrue(zip.files.keySet().stream()
                .anyMatch(name -> name.matches("uncuda/server/libs/uncuda/rules/targets/.*toml")));
    }

    @Test
    void serverIsTheBundleFileByFile() throws Exception {
        Path bundle = Path.of(System.getProperty("test.bundle"));
        Set<String> names = new HashSet<>();
        try (Stream<Path> files = Files.walk(bundle)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = "uncuda/server/" + bundle.relativize(file).toString().replace('\\', '/');
                assertArrayEquals(Files.readAllBytes(file), zip.files.get(name), name);
                names.add(name);
            }
        }
        names.add(PluginZip.JAR);
        assertEquals(names, zip.files.keySet());
    }

    @Test
    void serverIsPurePython() {
        assertEquals(List.of(), zip.files.keySet().stream()
                .filter(name -> name.matches(".*\\.(so|pyd|dylib|dll|pyc)|.*/__pycache__/.*")).toList());
    }

    @Test
    void jarHoldsNothingThatTheIdeHas() {
        List<String> others = zip.jar.keySet().stream()
                .filter(name -> !name.matches("(META-INF|messages|icons)/.*|(settings|uncuda\\.schema)\\.json|uncuda/(core|ide)/.*\\.class")).toList();
        assertEquals(List.of(), others);
        assertTrue(zip.jar.keySet().containsAll(Set.of("META-INF/plugin.xml", "META-INF/LICENSE", "META-INF/NOTICE",
                "META-INF/pluginIcon.svg", "settings.json", "uncuda.schema.json",
                "META-INF/pluginIcon_dark.svg", "icons/uncuda.svg", "icons/uncuda_dark.svg",
                "messages/UncudaBundle.properties", "messages/UncudaBundle_zh.properties")));
    }

    @Test
    void classesAreOfJava17() {
        zip.jar.forEach((name, bytes) -> {
            if (name.endsWith(".class")) {
                assertEquals(JAVA_17, bytes[7], name);
            }
        });
    }

    /** The Marketplace requires these images, and the structure library does not check them. */
    @ParameterizedTest
    @CsvSource({"META-INF/pluginIcon.svg, 40", "META-INF/pluginIcon_dark.svg, 40", "icons/uncuda.svg, 16",
        "icons/uncuda_dark.svg, 16"})
    void imagesHaveTheSizeThatIsAskedFor(String name, int pixels) throws Exception {
        assertTrue(zip.jar.get(name).length < 3000, name);
        Element svg = xml(name);
        assertEquals(pixels + " " + pixels, svg.getAttribute("width") + " " + svg.getAttribute("height"));
        assertEquals("svg", svg.getTagName());
    }

    @Test
    void listingIsInBothLanguagesEnglishFirst() throws Exception {
        Element descriptor = xml("META-INF/plugin.xml");
        assertTrue(text(descriptor, "name").length() <= 30);
        assertTrue(text(descriptor, "version").matches("\\d+\\.\\d+\\.\\d+"));
        for (String part : List.of("description", "change-notes")) {
            String text = text(descriptor, part).replaceAll("<[^>]*>", " ").strip();
            assertTrue(text.matches("(?s)[\\p{ASCII}]{40}.*\\p{IsHan}.*"), text);
        }
    }

    private static Element xml(String name) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(zip.jar.get(name))).getDocumentElement();
    }

    private static String text(Element parent, String name) {
        return parent.getElementsByTagName(name).item(0).getTextContent();
    }
}
