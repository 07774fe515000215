package uncuda.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The commands of the server that the plugin has actions for. */
public enum Commands {
    FIX_ALL_IN_FILE("uncuda.fixAllInFile", Map.of()),
    FIX_ON_SAVE("uncuda.fixAllInFile", Map.of("quiet", true)),
    FIX_ALL_IN_PROJECT("uncuda.fixAllInWorkspace", Map.of()),
    FIX_ALL_HERE("uncuda.fixAllInWorkspace", Map.of()),
    PREVIEW_FIX_ALL_IN_PROJECT("uncuda.fixAllInWorkspace", Map.of("applicability", "review", "dryRun", true)),
    SWITCH_TARGET("uncuda.switchTarget", Map.of());

    /** Those of the whole port. */
    public static final String REPORT = "uncuda.writeReport", SCAN = "uncuda.scanWorkspace", KEEP_TARGET = "uncuda.keepTarget";
    private final String id;
    private final Map<String, Object> fixed;

    Commands(String id, Map<String, Object> fixed) {
        this.id = id;
        this.fixed = fixed;
    }

    public String id() {
        return id;
    }

    /** Whether it is for one file, or for a file or folder. */
    public boolean needsFile() {
        return this == FIX_ALL_IN_FILE || this == FIX_ON_SAVE || takesFolder();
    }

    public boolean takesFolder() {
        return this == FIX_ALL_HERE;
    }

    /** Whether files that no editor shows are changed: they are on disk what the user sees only once all are saved. */
    public boolean savesFirst() {
        return this == FIX_ALL_IN_PROJECT || this == FIX_ALL_HERE;
    }

    /** Whether nothing is changed and a diff comes back. */
    public boolean isPreview() {
        return this == PREVIEW_FIX_ALL_IN_PROJECT;
    }

    /** @param uri of the file that it is for, where it needs one */
    public List<Object> arguments(String uri) {
        Map<String, Object> table = with(needsFile() ? Map.of(takesFolder() ? "scope" : "uri", uri) : Map.of());
        return table.isEmpty() ? List.of() : List.of(table);
    }

    /** What is always asked for, and more, which counts where both have it. */
    Map<String, Object> with(Map<String, Object> more) {
        Map<String, Object> table = new LinkedHashMap<>(fixed);
        table.putAll(more);
        return table;
    }
}
