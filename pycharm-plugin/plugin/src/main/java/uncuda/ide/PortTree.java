package uncuda.ide;

import com.intellij.ui.treeStructure.Tree;
import java.awt.Rectangle;
import java.awt.event.ActionEvent;
import java.awt.event.KeyEvent;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.swing.AbstractAction;
import javax.swing.JMenuItem;
import javax.swing.JPopupMenu;
import javax.swing.KeyStroke;
import javax.swing.SwingUtilities;
import javax.swing.ToolTipManager;
import javax.swing.event.PopupMenuEvent;
import javax.swing.event.PopupMenuListener;
import javax.swing.event.TreeExpansionEvent;
import javax.swing.event.TreeExpansionListener;
import javax.swing.tree.DefaultMutableTreeNode;
import javax.swing.tree.DefaultTreeModel;
import javax.swing.tree.TreePath;
import javax.swing.tree.TreeSelectionModel;
import uncuda.core.Overview;
import uncuda.core.Port;
import uncuda.core.Row;

/** Shows the rows as a tree. An update keeps the expanded rows, the scroll position and the selection. */
final class PortTree {
    final Tree tree;
    private final Port port;
    private final Port.Ide ide;
    private final DefaultMutableTreeNode root = new DefaultMutableTreeNode();
    private final DefaultTreeModel model = new DefaultTreeModel(root, true);
    private final JPopupMenu menu = new JPopupMenu();

    PortTree(Port port, Port.Ide ide) {
        this.port = port;
        this.ide = ide;
        tree = new Tree(model);
        tree.setRootVisible(false);
        tree.setShowsRootHandles(true);
        tree.getSelectionModel().setSelectionMode(TreeSelectionModel.SINGLE_TREE_SELECTION);
        tree.setCellRenderer(new PortRenderer());
        ToolTipManager.sharedInstance().registerComponent(tree);
        tree.addTreeExpansionListener(new TreeExpansionListener() {
            @Override
            public void treeExpanded(TreeExpansionEvent event) {
                port.expand(row(event.getPath()).id());
            }

            @Override
            public void treeCollapsed(TreeExpansionEvent event) {
                port.collapse(row(event.getPath()).id());
            }
        });
        bind(KeyEvent.VK_ENTER, 0, this::enter);
        bind(KeyEvent.VK_ENTER, KeyEvent.ALT_DOWN_MASK, this::showMenu);
        tree.addMouseListener(new Mouse());
        tree.setComponentPopupMenu(menu);
        menu.addPopupMenuListener(new Filling());
    }

    private void bind(int key, int modifiers, Runnable does) {
        KeyStroke stroke = KeyStroke.getKeyStroke(key, modifiers);
        tree.getInputMap().put(stroke, "uncuda " + stroke);
        tree.getActionMap().put("uncuda " + stroke, new AbstractAction() {
            private static final long serialVersionUID = 1;

            @Override
            public void actionPerformed(ActionEvent event) {
                does.run();
            }
        });
    }

    private final class Mouse extends MouseAdapter {
        @Override
        public void mousePressed(MouseEvent event) {
            if (SwingUtilities.isRightMouseButton(event)) {
                tree.setSelectionPath(at(event));
            }
        }

        @Override
        public void mouseClicked(MouseEvent event) {
            TreePath path = at(event);
            if (event.getClickCount() == 2 && path != null && (row(path).isMore() || row(path).node().leaf())) {
                enter();
            }
        }

        /** The row at a mouse event, which may also be beside the row's text; null below the last row. */
        private TreePath at(MouseEvent event) {
            TreePath path = tree.getClosestPathForLocation(event.getX(), event.getY());
            Rectangle place = path == null ? null : tree.getPathBounds(path);
            return place != null && event.getY() < place.y + place.height ? path : null;
        }
    }

    /** Fills the menu with the actions that the server sends for the row. */
    private final class Filling implements PopupMenuListener {
        @Override
        public void popupMenuWillBecomeVisible(PopupMenuEvent event) {
            menu.removeAll();
            Row selected = selected();
            if (selected == null || selected.isMore()) {
                return;
            }
            for (Overview.Action action : selected.node().actions()) {
                JMenuItem item = new JMenuItem(action.title());
                item.addActionListener(chosen -> port.review().act(selected.node(), action));
                menu.add(item);
            }
        }

        @Override
        public void popupMenuWillBecomeInvisible(PopupMenuEvent event) {
        }

        @Override
        public void popupMenuCanceled(PopupMenuEvent event) {
        }
    }

    private void showMenu() {
        Rectangle place = tree.getPathBounds(tree.getSelectionPath());
        if (place != null) {
            menu.show(tree, place.x, place.y + place.height);
        }
    }

    /** The action of Enter and of a double click: open a finding, show more rows, or expand or collapse another row. */
    private void enter() {
        Row row = selected();
        if (row == null) {
            return;
        }
        TreePath path = tree.getSelectionPath();
        if (row.isMore()) {
            port.more(path.getParentPath().getParentPath() == null ? "" : row(path.getParentPath()).id());
        } else if (row.node().isFinding()) {
            ide.open(row.node());
        } else if (tree.isExpanded(path)) {
            tree.collapsePath(path);
        } else {
            tree.expandPath(path);
        }
    }

    /** The selected row, or null. */
    private Row selected() {
        TreePath path = tree.getSelectionPath();
        return path == null ? null : row(path);
    }

    private static Row row(TreePath path) {
        return row((DefaultMutableTreeNode) path.getLastPathComponent());
    }

    static Row row(DefaultMutableTreeNode node) {
        return (Row) node.getUserObject();
    }

    /** Show rows. {@code wanted}: the ids of the nodes down to the row to select; if empty, the selection stays. */
    void show(List<Row> rows, List<String> wanted) {
        int[] before = tree.getSelectionRows();
        merge(root, rows);
        TreePath path = path(wanted);
        if (path != null) {
            tree.setSelectionPath(path);
            tree.scrollPathToVisible(path);
        } else if (before != null && before.length > 0 && tree.isSelectionEmpty() && tree.getRowCount() > 0) {
            // select the next row if the selected row is gone
            tree.setSelectionRow(Math.min(before[0], tree.getRowCount() - 1));
        }
    }

    /** The path to a row; null if there is no such row, or {@code ids} is empty. */
    private TreePath path(List<String> ids) {
        DefaultMutableTreeNode at = root;
        for (String id : ids) {
            at = child(at, id);
            if (at == null) {
                return null;
            }
        }
        return at == root ? null : new TreePath(at.getPath());
    }

    private static DefaultMutableTreeNode child(DefaultMutableTreeNode parent, String id) {
        for (Enumeration<?> each = parent.children(); each.hasMoreElements();) {
            DefaultMutableTreeNode child = (DefaultMutableTreeNode) each.nextElement();
            if (row(child).id().equals(id)) {
                return child;
            }
        }
        return null;
    }

    private void merge(DefaultMutableTreeNode parent, List<Row> rows) {
        Set<String> ids = rows.stream().map(Row::id).collect(Collectors.toSet());
        Map<String, DefaultMutableTreeNode> known = new HashMap<>();
        for (int i = parent.getChildCount() - 1; i >= 0; i--) {
            DefaultMutableTreeNode child = (DefaultMutableTreeNode) parent.getChildAt(i);
            if (ids.contains(row(child).id())) {
                known.put(row(child).id(), child);
            } else {
                model.removeNodeFromParent(child);
            }
        }
        for (int i = 0; i < rows.size(); i++) {
            Row row = rows.get(i);
            DefaultMutableTreeNode child = at(parent, i, row, known.get(row.id()));
            if (!row.equals(row(child))) {
                child.setUserObject(row);
                model.nodeChanged(child);
            }
            if (child.getAllowsChildren()) {
                merge(child, row.below() == null ? List.of(new Row(row.id() + "…", null, null)) : row.below());
            }
        }
        if (parent == root && !rows.isEmpty()) {
            tree.expandPath(new TreePath(root)); // the invisible root is not expanded when its first rows are added
        }
    }

    /**
     * Return the tree node for a row, and make it the child at {@code index}. {@code known}: the row's previous node,
     * or null.
     */
    private DefaultMutableTreeNode at(
            DefaultMutableTreeNode parent, int index, Row row, DefaultMutableTreeNode known) {
        if (known != null && parent.getChildAt(index) == known) {
            return known;
        }
        if (known != null) {
            model.removeNodeFromParent(known);
        }
        DefaultMutableTreeNode made = new DefaultMutableTreeNode(row, !row.isMore() && !row.node().leaf());
        model.insertNodeInto(made, parent, index);
        return made;
    }
}
