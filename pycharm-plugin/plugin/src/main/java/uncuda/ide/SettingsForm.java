package uncuda.ide;

import com.intellij.openapi.fileChooser.FileChooser;
import com.intellij.openapi.fileChooser.FileChooserDescriptor;
import com.intellij.openapi.options.ConfigurationException;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import java.awt.BorderLayout;
import java.awt.GridLayout;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.swing.JButton;
import javax.swing.JCheckBox;
import javax.swing.JComboBox;
import javax.swing.JComponent;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JTextField;
import uncuda.core.Interpreters;
import uncuda.core.Messages;
import uncuda.core.Options;
import uncuda.core.Setting;
import uncuda.core.SettingValue;

/** The settings page: choices in words, and for each field a label and a tooltip that explains it. */
final class SettingsForm {
    final JPanel page = new JPanel(new BorderLayout());
    private final JPanel fields = new JPanel(new GridLayout(0, 1));
    private final Project project;
    private final Messages messages;
    /** A list of the interpreters that the IDE knows, in which any other path can be typed. */
    private final JComboBox<String> interpreter;
    private final JComboBox<SettingValue> importStrategy;
    private final JCheckBox fixesOnSave;
    /** The fields for the server's settings: each is a list of values or a text field. */
    private final Map<Setting, JComponent> server = new LinkedHashMap<>();

    SettingsForm(Project project, Messages messages) {
        this.project = project;
        this.messages = messages;
        interpreter = new JComboBox<>(Sdks.known().toArray(String[]::new));
        interpreter.setEditable(true);
        add(messages.get("settings.interpreter"), interpreter, browsing());
        importStrategy = list(SettingValue.of("import-strategy", Options.IMPORT_STRATEGIES, messages));
        add(messages.get("settings.import-strategy"), importStrategy, importStrategy);
        fixesOnSave = new JCheckBox(messages.get("settings.fix-on-save"));
        fields.add(fixesOnSave);
        fields.add(new JLabel(messages.get("settings.hint")));
        for (Setting setting : Setting.ALL) {
            JComponent field = setting.isChoice() ? list(setting.values(messages)) : new JTextField();
            field.setToolTipText(setting.description(messages));
            server.put(setting, field);
            add(setting.name() + ":", field, field);
        }
        page.add(fields, BorderLayout.NORTH);
    }

    private static JComboBox<SettingValue> list(List<SettingValue> values) {
        return new JComboBox<>(values.toArray(SettingValue[]::new));
    }

    private JPanel browsing() {
        JButton button = new JButton("…");
        button.setToolTipText(messages.get("settings.browse"));
        button.addActionListener(event -> {
            FileChooserDescriptor oneFile = new FileChooserDescriptor(true, false, false, false, false, false);
            VirtualFile chosen = FileChooser.chooseFile(oneFile, project, null);
            if (chosen != null) {
                interpreter.setSelectedItem(chosen.getPath());
            }
        });
        JPanel row = new JPanel(new BorderLayout());
        row.add(interpreter, BorderLayout.CENTER);
        row.add(button, BorderLayout.EAST);
        return row;
    }

    /** Add a field with its label, which screen readers read. {@code row}: the component that contains the field. */
    private void add(String text, JComponent field, JComponent row) {
        JLabel label = new JLabel(text);
        label.setLabelFor(field);
        label.setToolTipText(field.getToolTipText());
        fields.add(label);
        fields.add(row);
    }

    Options shown() {
        Map<String, String> set = new LinkedHashMap<>();
        server.forEach((setting, field) -> {
            String text = field instanceof JTextField line ? line.getText().strip() : chosen((JComboBox<?>) field);
            if (!text.isEmpty()) {
                set.put(setting.key(), text);
            }
        });
        return new Options(interpreter.getEditor().getItem().toString(), chosen(importStrategy), fixesOnSave.isSelected(), set);
    }

    /** Raise an exception if a field is invalid; the page then stays open, shows the message, and applies nothing. */
    void check() throws ConfigurationException {
        Options shown = shown();
        String python = Interpreters.pathOf(shown.interpreter(), project.getBasePath());
        if (!python.isEmpty() && !isThere(python)) {
            throw new ConfigurationException(messages.get("settings.wrong.interpreter", python));
        }
        for (Setting setting : Setting.ALL) {
            String problem = setting.problem(shown.server().getOrDefault(setting.key(), ""), messages);
            if (!problem.isEmpty()) {
                throw new ConfigurationException(problem);
            }
        }
    }

    private static boolean isThere(String path) {
        try {
            return Files.exists(Path.of(path));
        } catch (InvalidPathException e) {
            return false;
        }
    }

    void show(Options options) {
        interpreter.setSelectedItem(options.interpreter());
        choose(importStrategy, options.importStrategy());
        fixesOnSave.setSelected(options.fixesOnSave());
        server.forEach((setting, field) -> {
            String text = options.server().getOrDefault(setting.key(), "");
            if (field instanceof JTextField line) {
                line.setText(text);
            } else {
                choose(choices(field), text);
            }
        });
    }

    @SuppressWarnings("unchecked") // the server's settings have no other kind of list
    private static JComboBox<SettingValue> choices(JComponent field) {
        return (JComboBox<SettingValue>) field;
    }

    private static String chosen(JComboBox<?> field) {
        return ((SettingValue) field.getItemAt(field.getSelectedIndex())).value();
    }

    /**
     * Select a value in a list. A value that is not in the list, such as a target of another version of the plugin, is
     * added, so that opening the page does not lose it.
     */
    private static void choose(JComboBox<SettingValue> field, String value) {
        int index = 0;
        while (index < field.getItemCount() && !field.getItemAt(index).value().equals(value)) {
            index++;
        }
        if (index == field.getItemCount()) {
            field.addItem(new SettingValue(value, value));
        }
        field.setSelectedIndex(index);
    }
}
