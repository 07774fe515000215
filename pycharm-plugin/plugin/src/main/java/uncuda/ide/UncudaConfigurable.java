package uncuda.ide;

import com.intellij.openapi.options.Configurable;
import com.intellij.openapi.project.Project;
import com.intellij.platform.lsp.api.LspServerManager;
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

/** Settings | Tools | uncuda. What is applied holds at once: the server is restarted. */
public final class UncudaConfigurable implements Configurable {
    private final Project project;
    private final JTextField interpreter = new JTextField();
    private final JComboBox<String> importStrategy = choices(Options.IMPORT_STRATEGIES);
    private final JComboBox<String> target = new JComboBox<>();
    private final JComboBox<String> strategy = choices(Options.STRATEGIES);
    private final JComboBox<String> locale = choices(Options.LOCALES);

    public UncudaConfigurable(Project project) {
        this.project = project;
    }

    private static JComboBox<String> choices(List<String> values) {
        return new JComboBox<>(values.toArray(String[]::new));
    }

    @Override
    public String getDisplayName() {
        return UncudaSettings.of(project).messages().get("settings.title");
    }

    @Override
    public JComponent createComponent() {
        Messages messages = UncudaSettings.of(project).messages();
        target.addItem("");
        UncudaLspDescriptor.bundle().targets().forEach(target::addItem);
        JPanel fields = new JPanel(new GridLayout(0, 1));
        add(fields, messages.get("settings.interpreter"), interpreter);
        add(fields, messages.get("settings.import-strategy"), importStrategy);
        add(fields, messages.get("settings.target"), target);
        add(fields, messages.get("settings.strategy"), strategy);
        add(fields, messages.get("settings.locale"), locale);
        fields.add(new JLabel(messages.get("settings.hint")));
        JPanel page = new JPanel(new BorderLayout());
        page.add(fields, BorderLayout.NORTH);
        reset();
        return page;
    }

    private static void add(JPanel fields, String text, JComponent field) {
        JLabel label = new JLabel(text);
        label.setLabelFor(field);
        fields.add(label);
        fields.add(field);
    }

    private Options shown() {
        return new Options(
                interpreter.getText(), chosen(importStrategy), chosen(target), chosen(strategy), chosen(locale));
    }

    /** The first choice is the default, which is stored as nothing. */
    private static String chosen(JComboBox<String> field) {
        return field.getSelectedIndex() <= 0 ? "" : field.getItemAt(field.getSelectedIndex());
    }

    private static void choose(JComboBox<String> field, String value) {
        if (value.isEmpty()) {
            field.setSelectedIndex(0);
        } else {
            field.setSelectedItem(value);
        }
    }

    @Override
    public boolean isModified() {
        return !shown().equals(UncudaSettings.of(project).options());
    }

    @Override
    public void apply() {
        UncudaSettings.of(project).set(shown());
        LspServerManager.getInstance(project).stopAndRestartIfNeeded(UncudaLspProvider.class);
    }

    @Override
    public void reset() {
        Options options = UncudaSettings.of(project).options();
        interpreter.setText(options.interpreter());
        choose(importStrategy, options.importStrategy());
        choose(target, options.target());
        choose(strategy, options.strategy());
        choose(locale, options.locale());
    }
}
