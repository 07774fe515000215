package uncuda.core;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The commands of the server for which the plugin has actions. */
public enum Commands {
    FIX_ALL_IN_FILE("uncuda.fixAllInFile", Map.of()),
    FIX_ON_SAVE("uncuda.fixAllInFile", Map.of("quiet", true)),
    FIX_ALL_IN_PROJECT("uncuda.fixAllInWorkspace", Map.of()),
    FIX_ALL_HERE("uncuda.fixAllInWorkspace", Map.of()),
    PREVIEW_FIX_ALL_IN_PROJECT("uncuda.fixAllInWorkspace", Map.of("applicability", "review", "dryRun", true)),
    SWITCH_TARGET("uncuda.switchTarget", Map.of());

    /** The commands of the server about the whole port. */
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

    /** Whether the command needs a file, or a file or folder, as an argument. */
    public boolean needsFile() {
        return this == FIX_ALL_IN_FILE || this == FIX_ON_SAVE || takesFolder();
    }

    public boolean takesFolder() {
        return this == FIX_ALL_HERE;
    }

    /**
     * Whether the command changes files that no editor shows. All documents must be saved before, because the server
     * reads these files from the disk.
     */
    public boolean savesFirst() {
        return this == FIX_ALL_IN_PROJECT || this == FIX_ALL_HERE;
    }

    /** Whether the command changes nothing and returns a diff. */
    public boolean isPreview() {
        return this == PREVIEW_FIX_ALL_IN_PROJECT;
    }

    /** The arguments of the command. {@code uri}: the URI of the file or folder, if the command needs one. */
    public List<Object> arguments(String uri) {
        Map<String, Object> table = with(needsFile() ? Map.of(takesFolder() ? "scope" : "uri", uri) : Map.of());
        return table.isEmpty() ? List.of() : List.of(table);
    }

    /** The argument that every call has, extended by {@code more}; {@code more} wins if both have a key. */
    Map<String, Object> with(Map<String, Object> more) {
        Map<String, Object> table = new LinkedHashMap<>(fixed);
        table.putAll(more);
        return table;
    }
}
