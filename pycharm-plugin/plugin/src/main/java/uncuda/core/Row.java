package uncuda.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A row of the view: a node, or, without one, what stands below the rows of a node: that there are more, or that they
 * have not come yet. {@code below}: its rows, null where nobody has asked for them.
 */
public record Row(String id, Overview.Node node, List<Row> below) {
    /** Whether it is shown that there are more below {@code parent}. */
    public boolean isMore() {
        return node == null;
    }

    /**
     * The rows below a node, asked for as a whole, so that no row is older than its neighbours.
     *
     * @param parent its id, empty for the first level
     * @param pages how many pages are shown of each node that is open, by its id
     * @param ask the server; its answer is null where there is none, and then there is none here
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
