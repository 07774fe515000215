package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import com.intellij.ide.actionsOnSave.impl.ActionsOnSaveFileDocumentManagerListener.ActionOnSave;
import com.intellij.ide.plugins.PluginLoadingError;
import com.intellij.ide.plugins.PluginManagerCore;
import com.intellij.ide.plugins.RawPluginDescriptor.ActionDescriptor;
import com.intellij.ide.plugins.RawPluginDescriptor.ActionDescriptorAction;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.extensions.ExtensionPoint;
import com.intellij.openapi.util.BuildNumber;
import com.jetbrains.jsonSchema.extension.JsonSchemaFileProvider;
import com.jetbrains.jsonSchema.extension.JsonSchemaProviderFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.ResourceBundle;
import java.util.ResourceBundle.Control;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipFile;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Tests of the plugin.xml in the shipped jar, as JetBrains' core reads it. */
class PluginXmlTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"PY-252.25557.178, true", "PY-261.26222.65, true", "PY-262.9437.65, true", "PY-252.23892.515, false"})
    void runsFrom2025_2_1On(String build, boolean accepted) throws Exception {
        try (MiniPlatform ide = new MiniPlatform(MiniPlatform.JAR, folder)) {
            assertEquals("uncuda", ide.plugin.getPluginId().getIdString());
            PluginLoadingError refusal =
                    PluginManagerCore.checkBuildNumberCompatibility(ide.plugin, BuildNumber.fromString(build));
            if (accepted) {
                assertNull(refusal);
            } else {
                assertTrue(refusal.getInternalMessage().contains("requires build 252.25557"));
            }
        }
    }

    @Test
    void everyExtensionMeetsADeclaredPoint() throws Exception {
        try (MiniPlatform ide = new MiniPlatform(MiniPlatform.JAR, folder)) {
            assertEquals(5, ide.plugin.epNameToExtensions.size());
            ide.plugin.epNameToExtensions.keySet()
                    .forEach(point -> assertTrue(ide.area.hasExtensionPoint(point), point));
            assertEquals(1, ide.providers().size());
        }
    }

    @Test
    void everyActionIsThereAndHasATextInBothLanguages() throws Exception {
        Set<String> ids = new TreeSet<>();
        try (MiniPlatform ide = new MiniPlatform(MiniPlatform.JAR, folder)) {
            for (ActionDescriptor action : ide.plugin.actions) {
                if (action instanceof ActionDescriptorAction named) {
                    Class<?> type = Class.forName(named.className);
                    assertTrue(AnAction.class.isAssignableFrom(type), named.className);
                    assertDoesNotThrow(() -> type.getConstructor().newInstance());
                }
            }
        }
        NodeList actions = xml("//action/@id");
        for (int i = 0; i < actions.getLength(); i++) {
            ids.add("action." + actions.item(i).getNodeValue() + ".text");
        }
        assertEquals(18, ids.size());
        for (Locale locale : List.of(Locale.ROOT, Locale.CHINESE)) {
            ResourceBundle texts = ResourceBundle.getBundle("messages.UncudaBundle", locale,
                    Control.getNoFallbackControl(Control.FORMAT_PROPERTIES));
            assertTrue(texts.keySet().containsAll(ids), locale.toString());
        }
    }

    @Test
    void everyClassNamedExists() throws Exception {
        NodeList names = xml("//@*[starts-with(., 'uncuda.ide.')]");
        assertEquals(24, names.getLength());
        for (int i = 0; i < names.getLength(); i++) {
            Class.forName(names.item(i).getNodeValue());
        }
    }

    @Test
    void filesAreFixedOnSaveOnlyIfTheUserWantsIt() throws Exception {
        try (MiniPlatform ide = new MiniPlatform(MiniPlatform.JAR, folder)) {
            ExtensionPoint<ActionOnSave> point = ide.area.getExtensionPoint("com.intellij.actionOnSave");
            ActionOnSave action = point.getExtensionList().get(0);
            assertFalse(action.isEnabledForProject(ide.project));
            Settings.set(ide.project, "fixesOnSave", true);
            assertTrue(action.isEnabledForProject(ide.project));
        }
    }

    /**
     * The schema is declared in a separate file, because an IDE without JSON schemas lacks the extension point and its
     * types.
     */
    @Test
    void configurationFileHasASchema() throws Exception {
        assertEquals("uncuda-json.xml", xml("//depends[@optional='true']/@config-file").item(0).getNodeValue());
        String type = xml("//ProviderFactory/@implementation", "META-INF/uncuda-json.xml").item(0).getNodeValue();
        try (MiniPlatform ide = new MiniPlatform(MiniPlatform.JAR, folder)) {
            JsonSchemaFileProvider schema = ((JsonSchemaProviderFactory) Class.forName(type).getConstructor().newInstance())
                    .getProviders(ide.project).get(0);
            assertTrue(schema.isAvailable(ide.file(Files.createFile(folder.resolve("uncuda.toml")))));
            assertFalse(schema.isAvailable(ide.file(Files.createFile(folder.resolve("other.toml")))));
            String text = new String(schema.getSchemaFile().contentsToByteArray(), "UTF-8");
            assertTrue(JsonParser.parseString(text).getAsJsonObject().getAsJsonObject("properties").has("target-version"));
        }
    }

    @Test
    void misspelledPointLosesTheProviderInSilence() throws Exception {
        try (MiniPlatform ide = new MiniPlatform(edited("serverSupportProvider", "serverSuportProvider"), folder)) {
            assertEquals(List.of(), ide.providers());
        }
    }

    @Test
    void missingClassIsAnError() throws Exception {
        try (MiniPlatform ide = new MiniPlatform(edited("UncudaLspProvider", "NoSuchProvider"), folder)) {
            assertThrows(AssertionError.class, ide::providers);
        }
    }

    @Test
    void misspelledElementIsAnError() {
        assertThrows(AssertionError.class, () -> new MiniPlatform(edited("actions>", "acions>"), folder));
    }

    private static NodeList xml(String query) throws Exception {
        return xml(query, "META-INF/plugin.xml");
    }

    private static NodeList xml(String query, String file) throws Exception {
        try (ZipFile jar = new ZipFile(MiniPlatform.JAR.toFile())) {
            return (NodeList) XPathFactory.newInstance().newXPath().evaluate(query,
                    new InputSource(jar.getInputStream(jar.getEntry(file))), XPathConstants.NODESET);
        }
    }

    private Path edited(String from, String to) throws Exception {
        Path metaInf = Files.createDirectories(folder.resolve("edited/META-INF"));
        try (ZipFile jar = new ZipFile(MiniPlatform.JAR.toFile())) {
            for (String name : List.of("plugin.xml", "uncuda-json.xml")) {
                String xml = new String(jar.getInputStream(jar.getEntry("META-INF/" + name)).readAllBytes(), "UTF-8");
                assertTrue(xml.contains(from) || !name.equals("plugin.xml"));
                Files.writeString(metaInf.resolve(name), xml.replace(from, to));
            }
        }
        return metaInf.getParent();
    }
}
