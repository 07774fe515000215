package uncuda.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A row of the view: a node, or, without a node, the last row below a node, which says that there are more rows or that
 * the rows are still being loaded. {@code below}: the rows below the node; null if they have not been requested.
 */
public record Row(String id, Overview.Node node, List<Row> below) {
    /** Whether the row only says that there are more rows. */
    public boolean isMore() {
        return node == null;
    }

    /**
     * Request all shown rows below a node together, so that no row is older than its neighbours.
     *
     * @param parent the id of the node, empty for the first level
     * @param pages for the id of each expanded node: how many pages of its children are shown
     * @param ask sends a request to the server; if it returns null, the rows are missing from the result
     */
    static List<Row> below(String parent, Overview.Answer first, Map<String, Integer> pages,
            Function<Map<String, Object>, Overview.Answer> ask) {
        List<Row> rows = new ArrayList<>();
        Overview.Answer page = first;
        for (int left = pages.getOrDefault(parent, 1); page != null; left--) {
            for (Overview.Node node : page.nodes()) {
                List<Row> below = !node.leaf() && pages.containsKey(node.id())
                        ? below(node.id(), ask.apply(asked(node.id(), null)), pages, ask) : null;
                rows.add(new Row(node.id(), node, below));
            }
            if (page.next() == null || left <= 1) {
                break;
            }
            page = ask.apply(asked(parent, page.next()));
        }
        if (page == null || page.next() != null) {
            rows.add(new Row(parent + "…", null, null));
        }
        return List.copyOf(rows);
    }

    private static Map<String, Object> asked(String parent, String after) {
        Map<String, Object> asked = new LinkedHashMap<>();
        if (!parent.isEmpty()) {
            asked.put("parent", parent);
        }
        if (after != null) {
            asked.put("after", after);
        }
        return asked;
    }
}
