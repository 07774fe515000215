package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.intellij.mock.MockApplication;
import com.intellij.openapi.application.ApplicationManager;
import com.intellij.openapi.options.Configurable;
import com.intellij.openapi.options.ConfigurationException;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.projectRoots.ProjectJdkTable;
import com.intellij.openapi.projectRoots.Sdk;
import com.intellij.platform.lsp.api.LspServer;
import com.intellij.platform.lsp.api.LspServerManager;
import com.intellij.platform.lsp.api.LspServerSupportProvider;
import java.awt.Component;
import java.awt.Container;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.swing.JCheckBox;
import javax.swing.JComboBox;
import javax.swing.JComponent;
import javax.swing.JLabel;
import javax.swing.JTextField;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import uncuda.core.Setting;

/** Tests of the settings page without a screen: its fields and their values, not its layout. */
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
        ((MockApplication) ApplicationManager.getApplication()).registerService(ProjectJdkTable.class, new ProjectJdkTable() {
            @Override
            public Sdk[] getAllJdks() {
                return new Sdk[] {MiniPlatform.sdk("JavaSDK", "/opt/java"), MiniPlatform.sdk("Python SDK", "/opt/known")};
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
                "rewrite: the source names the target")), english.toString());
        Settings.set(ide.project, "locale", "zh");
        List<String> chinese = words();
        assertTrue(chinese.containsAll(List.of("插件自带的服务器", "昇腾 NPU (npu)", "是")), chinese.toString());
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
        List<Component> fields = new ArrayList<>(texts(shown));
        fields.addAll(lists(shown));
        assertEquals(Setting.ALL.size() + 2, fields.size());
        assertTrue(labelled.containsAll(fields));
    }

    /** Return the field with a label. */
    private static <T extends JComponent> T field(Class<T> type, Container in, String label) {
        return all(JLabel.class, in).stream().filter(one -> one.getText().startsWith(label)).findFirst()
                .map(one -> type.cast(one.getLabelFor())).orElseThrow();
    }

    /** Return the text fields, except those inside lists. */
    private static List<JTextField> texts(Container in) {
        return all(JTextField.class, in).stream().filter(one -> !(one.getParent() instanceof JComboBox)).toList();
    }

    @Test
    void whatIsAppliedIsStoredAndRestartsTheServer() throws Exception {
        Path python = Files.createFile(folder.resolve("python"));
        Container shown = page.createComponent();
        assertFalse(page.isModified());
        JComboBox<?> interpreter = field(JComboBox.class, shown, "Python interpreter");
        assertEquals(List.of("", "/opt/known"), items(interpreter));
        interpreter.setSelectedItem(" " + python + " ");
        field(JComboBox.class, shown, "Server").setSelectedIndex(1);
        field(JComboBox.class, shown, "target:").setSelectedIndex(1);
        field(JTextField.class, shown, "ignore").setText(" tf32 ");
        all(JCheckBox.class, shown).get(0).doClick();
        assertTrue(page.isModified());
        page.apply();
        page.apply();
        assertEquals(1, restarts);
        assertFalse(page.isModified());
        assertEquals(List.of(python.toString(), "fromEnvironment", true, Map.of("target", "musa", "ignore", "tf32")), stored());
        lists(shown).stream().filter(one -> one != interpreter).forEach(one -> one.setSelectedIndex(0));
        texts(shown).forEach(one -> one.setText(""));
        all(JCheckBox.class, shown).get(0).doClick();
        page.apply();
        assertEquals(List.of(python.toString(), "", false, Map.of()), stored());
    }

    @Test
    void whatIsWrongIsSaidAndNotApplied() {
        Container shown = page.createComponent();
        JComboBox<?> interpreter = field(JComboBox.class, shown, "Python interpreter");
        interpreter.setSelectedItem("nowhere/python");
        String said = assertThrows(ConfigurationException.class, page::apply).getMessage();
        assertEquals("There is no Python interpreter at " + folder.resolve("nowhere/python") + ".", said);
        interpreter.setSelectedItem("python3.11"); // a name that is searched in PATH is not checked here
        field(JTextField.class, shown, "max-depth").setText("0");
        said = assertThrows(ConfigurationException.class, page::apply).getMessage();
        assertEquals("max-depth: 0 is not a number from 1 to 150.", said);
        assertEquals(0, restarts);
        assertTrue(page.isModified());
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
        assertEquals(Map.of("target", "of-a-later-version"), stored().get(3));
        assertEquals(0, restarts);
    }

    private List<Object> stored() throws Exception {
        List<Object> found = new ArrayList<>();
        for (String name : List.of("interpreter", "importStrategy", "fixesOnSave", "server")) {
            found.add(Settings.get(ide.project, name));
        }
        return found;
    }
}
