package uncuda.ide;

import java.awt.BorderLayout;
import java.awt.GridLayout;
import java.util.List;
import javax.swing.JComboBox;
import javax.swing.JComponent;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JTextField;
import uncuda.core.Messages;
import uncuda.core.Options;
import uncuda.core.SettingValue;

/** What the settings page shows: choices in words, every field with its label. */
final class SettingsForm {
    final JPanel page = new JPanel(new BorderLayout());
    private final JPanel fields = new JPanel(new GridLayout(0, 1));
    private final JTextField interpreter = new JTextField();
    private final JComboBox<SettingValue> importStrategy;
    private final JComboBox<SettingValue> target;
    private final JComboBox<SettingValue> strategy;
    private final JComboBox<SettingValue> locale;

    SettingsForm(Messages messages) {
        importStrategy = list(SettingValue.of("import-strategy", Options.IMPORT_STRATEGIES, messages));
        target = list(UncudaLspDescriptor.bundle().targets(messages));
        strategy = list(SettingValue.of("strategy", Options.STRATEGIES, messages));
        locale = list(SettingValue.of("locale", Options.LOCALES, messages));
        add(messages.get("settings.interpreter"), interpreter);
        add(messages.get("settings.import-strategy"), importStrategy);
        add(messages.get("settings.target"), target);
        add(messages.get("settings.strategy"), strategy);
        add(messages.get("settings.locale"), locale);
        fields.add(new JLabel(messages.get("settings.hint")));
        page.add(fields, BorderLayout.NORTH);
    }

    private static JComboBox<SettingValue> list(List<SettingValue> values) {
        return new JComboBox<>(values.toArray(SettingValue[]::new));
    }

    /** Screen readers read the label of a field. */
    private void add(String text, JComponent field) {
        JLabel label = new JLabel(text);
        label.setLabelFor(field);
        fields.add(label);
        fields.add(field);
    }

    Options shown() {
        return new Options(
                interpreter.getText(), chosen(importStrategy), chosen(target), chosen(strategy), chosen(locale));
    }

    void show(Options options) {
        interpreter.setText(options.interpreter());
        choose(importStrategy, options.importStrategy());
        choose(target, options.target());
        choose(strategy, options.strategy());
        choose(locale, options.locale());
    }

    private static String chosen(JComboBox<SettingValue> field) {
        return field.getItemAt(field.getSelectedIndex()).value();
    }

    /** What is not offered, as a target of another version of the plugin, is shown as it is: to look must not lose it. */
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
