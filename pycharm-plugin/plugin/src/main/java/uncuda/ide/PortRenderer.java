package uncuda.ide;

import com.intellij.icons.AllIcons;
import com.intellij.ui.ColoredTreeCellRenderer;
import com.intellij.ui.SimpleTextAttributes;
import java.util.Map;
import javax.swing.Icon;
import javax.swing.JTree;
import javax.swing.tree.DefaultMutableTreeNode;
import uncuda.core.Overview.Node;
import uncuda.core.Row;

/** Draws a row: its label, then its description in grey. Screen readers read both. */
final class PortRenderer extends ColoredTreeCellRenderer {
    private static final long serialVersionUID = 1;
    private static final Map<String, Icon> ICONS = Map.of("error", AllIcons.General.Error, "warning",
            AllIcons.General.Warning, "information", AllIcons.General.Information, "folder", AllIcons.Nodes.Folder);

    @Override
    public void customizeCellRenderer(
            JTree tree, Object value, boolean selected, boolean expanded, boolean leaf, int line, boolean focused) {
        Row row = PortTree.row((DefaultMutableTreeNode) value);
        if (row == null || row.isMore()) {
            append("…");
            return;
        }
        Node node = row.node();
        setIcon(ICONS.get(node.icon()));
        append(node.label());
        append("  " + node.description(), SimpleTextAttributes.GRAYED_ATTRIBUTES);
        setToolTipText(node.tooltip().isEmpty() ? node.label() : node.tooltip());
    }
}
