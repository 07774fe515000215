package uncuda.ide;

import com.intellij.diff.DiffManager;
import com.intellij.diff.DiffRequestPanel;
import com.intellij.diff.requests.DiffRequest;
import com.intellij.openapi.Disposable;
import com.intellij.openapi.project.Project;
import com.intellij.ui.treeStructure.Tree;
import java.awt.BorderLayout;
import java.util.List;
import java.util.Map;
import javax.swing.BorderFactory;
import javax.swing.JCheckBoxMenuItem;
import javax.swing.JPanel;
import javax.swing.JPopupMenu;
import javax.swing.JScrollPane;
import javax.swing.JSplitPane;
import javax.swing.JTextArea;
import uncuda.core.Messages;
import uncuda.core.Overview;
import uncuda.core.Port;
import uncuda.core.Row;

/**
 * The content of the tool window: the server's text and tree, and beside them the diff viewer with the reviewed
 * finding.
 */
final class PortPanel extends JPanel implements Port.View, Disposable {
    private static final long serialVersionUID = 1;
    final Tree tree;
    private final transient Project project;
    private final transient Port port;
    private final transient PortTree rows;
    private final JTextArea text = new JTextArea();
    private final JSplitPane split = new JSplitPane();
    private transient DiffRequestPanel diff;

    PortPanel(Project project) {
        super(new BorderLayout());
        this.project = project;
        port = ProjectPort.of(project);
        rows = new PortTree(port, new IdeScreen(project));
        tree = rows.tree;
        Messages messages = UncudaSettings.of(project).messages();
        tree.getAccessibleContext().setAccessibleName(messages.get("port.tree"));
        text.getAccessibleContext().setAccessibleName(messages.get("port.state"));
        text.setFont(tree.getFont());
        text.setEditable(false);
        text.setOpaque(false);
        text.setLineWrap(true);
        text.setWrapStyleWord(true);
        text.setBorder(BorderFactory.createEmptyBorder(4, 8, 4, 8));
        JPanel left = new JPanel(new BorderLayout());
        left.add(text, BorderLayout.NORTH);
        left.add(new JScrollPane(tree), BorderLayout.CENTER);
        split.setLeftComponent(left);
        split.setRightComponent(null);
        split.setBorder(null);
        add(split, BorderLayout.CENTER);
        port.show(this);
    }

    @Override
    public void show(List<Row> shown, String said, List<String> selected) {
        if (!said.equals(text.getText())) {
            text.setText(said);
        }
        rows.show(shown, selected);
    }

    /** Show a comparison in the IDE's diff viewer, which is created by the first call. */
    void compare(DiffRequest request) {
        if (diff == null) {
            diff = DiffManager.getInstance().createRequestPanel(project, this, null);
            split.setRightComponent(diff.getComponent());
            split.setResizeWeight(1.0 / 3);
            split.setDividerLocation(Math.max(240, getWidth() / 3));
        }
        diff.setRequest(request);
    }

    /** Show the menu in which the user chooses the values of the filter. */
    void chooseFilter() {
        JPopupMenu menu = new JPopupMenu();
        String dimension = null;
        for (Map.Entry<Overview.Choice, Boolean> each : port.choices().entrySet()) {
            Overview.Choice choice = each.getKey();
            if (dimension != null && !dimension.equals(choice.dimension())) {
                menu.addSeparator();
            }
            dimension = choice.dimension();
            JCheckBoxMenuItem item = new JCheckBoxMenuItem(choice.label() + "  " + choice.count(), each.getValue());
            item.addActionListener(event -> port.toggle(choice));
            menu.add(item);
        }
        menu.show(this, 0, 0);
    }

    @Override
    public void dispose() {
        port.hide(this);
    }
}
