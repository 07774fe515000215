package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.intellij.openapi.options.Configurable;
import com.intellij.openapi.project.Project;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerManager;
import com.intellij.platform.lsp.api.LspServerSupportProvider;
import java.awt.Component;
import java.awt.Container;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;
import javax.swing.JComboBox;
import javax.swing.JLabel;
import javax.swing.JTextField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings page without a screen: what its fields hold and what becomes of it, not how it looks. */
class SettingsPageTest {
    @TempDir
    Path folder;
    private MiniPlatform ide;
    private Configurable page;
    private int restarts;

    @BeforeEach
    void open() throws Exception {
        ide = new MiniPlatform(MiniPlatform.JAR, folder);
        ide.project.registerService(LspServerManager.class, new LspServerManager() {
            @Override
            public Collection<LspServer> getServersForProvider(Class<? extends LspServerSupportProvider> provider) {
                return List.of();
            }

            @Override
            public void stopAndRestartIfNeeded(Class<? extends LspServerSupportProvider> provider) {
                restarts++;
            }
        });
        page = (Configurable) Class.forName("uncuda.ide.UncudaConfigurable")
                .getConstructor(Project.class).newInstance(ide.project);
    }

    @AfterEach
    void close() {
        ide.close();
    }

    static <T extends Component> List<T> all(Class<T> type, Container in) {
        List<T> found = new ArrayList<>();
        for (Component one : in.getComponents()) {
            if (type.isInstance(one)) {
                found.add(type.cast(one));
            } else if (one instanceof Container more) {
                found.addAll(all(type, more));
            }
        }
        return found;
    }

    private static List<JComboBox<?>> lists(Container in) {
        List<JComboBox<?>> found = new ArrayList<>();
        all(JComboBox.class, in).forEach(found::add);
        return found;
    }

    private static List<String> items(JComboBox<?> field) {
        return IntStream.range(0, field.getItemCount()).mapToObj(i -> field.getItemAt(i).toString()).toList();
    }

    @Test
    void choicesAreWordsInTheLanguageOfTheUser() throws Exception {
        Settings.set(ide.project, "locale", "en");
        List<String> english = words();
        assertTrue(english.containsAll(List.of("That of the plugin", "Ascend NPU (npu)", "Moore Threads MUSA (musa)",
                "Rewrite: the source names the target", "That of the IDE")), english.toString());
        Settings.set(ide.project, "locale", "zh");
        List<String> chinese = words();
        assertTrue(chinese.containsAll(List.of("插件自带的服务器", "昇腾 NPU (npu)", "跟随 IDE")), chinese.toString());
        assertEquals(english.size(), chinese.size());
    }

    private List<String> words() {
        Container shown = page.createComponent();
        return lists(shown).stream().flatMap(field -> items(field).stream()).toList();
    }

    @Test
    void everyFieldHasItsLabel() {
        Container shown = page.createComponent();
        List<Component> labelled = new ArrayList<>();
        all(JLabel.class, shown).stream().map(JLabel::getLabelFor).filter(one -> one != null).forEach(labelled::add);
        List<Component> fields = new ArrayList<>(all(JTextField.class, shown));
        fields.addAll(lists(shown));
        assertEquals(5, fields.size());
        assertTrue(labelled.containsAll(fields));
    }

    @Test
    void whatIsAppliedIsStoredAndRestartsTheServer() throws Exception {
        Container shown = page.createComponent();
        assertFalse(page.isModified());
        all(JTextField.class, shown).get(0).setText(" /opt/python ");
        lists(shown).forEach(field -> field.setSelectedIndex(1));
        assertTrue(page.isModified());
        page.apply();
        page.apply();
        assertEquals(1, restarts);
        assertFalse(page.isModified());
        assertEquals(List.of("/opt/python", "fromEnvironment", "musa", "rewrite", "en"), stored());
        lists(shown).forEach(field -> field.setSelectedIndex(0));
        page.apply();
        assertEquals(List.of("/opt/python", "", "", "", ""), stored());
    }

    @Test
    void valueThatIsNotOfferedIsNotLost() throws Exception {
        Settings.set(ide.project, "target", "of-a-later-version");
        assertTrue(words().contains("of-a-later-version"));
        assertFalse(page.isModified());
        page.disposeUIResources();
        assertFalse(page.isModified());
        page.reset();
        page.apply();
        assertEquals("of-a-later-version", stored().get(2));
        assertEquals(0, restarts);
    }

    private List<String> stored() throws Exception {
        List<String> found = new ArrayList<>();
        for (String name : List.of("interpreter", "importStrategy", "target", "strategy", "locale")) {
            found.add(Settings.get(ide.project, name));
        }
        return found;
    }
}
