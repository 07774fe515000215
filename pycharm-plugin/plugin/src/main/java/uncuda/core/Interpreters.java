package uncuda.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Which Python runs the server: the first that can, in the order in which they are given. */
public final class Interpreters {
    /** Where a path comes from; the order is the order of trial. */
    public enum Source { SETTING, MODULE, PROJECT, PATH }

    public record Candidate(Source source, String path) {
    }

    /** A Python that was not taken, and why; {@code reason} is a key of the messages, {@code detail} may be empty. */
    public record Rejected(Candidate candidate, String reason, String detail) {
    }

    /** {@code python}: absent where none can run the server. */
    public record Choice(Optional<Candidate> python, List<Rejected> rejected) {
    }

    private Interpreters() {
    }

    /** A null or blank path is no candidate. */
    public static List<Candidate> candidates(String setting, String moduleSdk, String projectSdk) {
        List<Candidate> found = new ArrayList<>();
        add(found, Source.SETTING, setting);
        add(found, Source.MODULE, moduleSdk);
        add(found, Source.PROJECT, projectSdk);
        add(found, Source.PATH, "python3");
        add(found, Source.PATH, "python");
        return found;
    }

    private static void add(List<Candidate> found, Source source, String path) {
        if (path != null && !path.isBlank() && found.stream().noneMatch(known -> known.path.equals(path))) {
            found.add(new Candidate(source, path));
        }
    }

    /** {@code probe}: what is wrong with a local Python, or nothing. A remote one is never run. */
    public static Choice choose(List<Candidate> candidates, Function<String, Optional<Probe.Problem>> probe) {
        List<Rejected> rejected = new ArrayList<>();
        for (Candidate candidate : candidates) {
            if (isRemote(candidate.path)) {
                rejected.add(new Rejected(candidate, "python.remote", ""));
                continue;
            }
            Optional<Probe.Problem> problem = probe.apply(candidate.path);
            if (problem.isEmpty()) {
                return new Choice(Optional.of(candidate), rejected);
            }
            rejected.add(new Rejected(candidate, problem.get().reason(), problem.get().detail()));
        }
        return new Choice(Optional.empty(), rejected);
    }

    /** SSH, Docker, Compose, Vagrant and WSL interpreters have a scheme or a share for a path. */
    static boolean isRemote(String path) {
        String lower = path.toLowerCase(java.util.Locale.ROOT).replace('/', '\\');
        return path.contains("://") || lower.startsWith("\\\\wsl$\\") || lower.startsWith("\\\\wsl.localhost\\");
    }
}
