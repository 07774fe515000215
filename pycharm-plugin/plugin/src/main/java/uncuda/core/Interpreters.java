package uncuda.core;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Chooses the Python that runs the server: the first candidate that can. If the candidate of the setting cannot, the
 * choice fails, and no other candidate is tried.
 */
public final class Interpreters {
    /** Where a candidate comes from; candidates are tried in this order. */
    public enum Source { SETTING, MODULE, PROJECT, PATH }

    public record Candidate(Source source, String path) {
    }

    /**
     * A Python that cannot run the server. {@code reason}: the key of the message that says why; {@code detail}: may be
     * empty.
     */
    public record Rejected(Candidate candidate, String reason, String detail) {
    }

    /** {@code python}: empty if no candidate can run the server. */
    public record Choice(Optional<Candidate> python, List<Rejected> rejected) {
    }

    private Interpreters() {
    }

    /** Return the candidates; null and blank paths are ignored. {@code setting}: the result of {@link #fromSetting}. */
    public static List<Candidate> candidates(
            String setting, String moduleSdk, String projectSdk, Environment environment) {
        List<Candidate> found = new ArrayList<>();
        add(found, Source.SETTING, setting);
        add(found, Source.MODULE, moduleSdk);
        add(found, Source.PROJECT, projectSdk);
        for (String name : List.of("python3", "python")) {
            environment.find(name).forEach(path -> add(found, Source.PATH, path));
        }
        return found;
    }

    /**
     * The path that the setting names: a bare name is searched in PATH, "~" is the home folder, a relative path is
     * resolved in the project.
     */
    public static String fromSetting(String value, String project, Environment environment) {
        if (value.isBlank() || isRemote(value)) {
            return value;
        }
        if (value.startsWith("~/") || value.startsWith("~\\")) {
            return System.getProperty("user.home") + value.substring(1);
        }
        if (!value.contains("/") && !value.contains("\\")) {
            return environment.find(value).stream().findFirst().orElse(value);
        }
        return project == null || new File(value).isAbsolute() ? value : new File(project, value).getPath();
    }

    /**
     * The file that a setting names; empty for a bare name, which is searched in PATH, and for a path on another
     * machine.
     */
    public static String pathOf(String value, String project) {
        boolean isFile = (value.contains("/") || value.contains("\\")) && !isRemote(value);
        return isFile ? fromSetting(value, project, Environment.of(Map.of())) : "";
    }

    private static void add(List<Candidate> found, Source source, String path) {
        if (path != null && !path.isBlank() && found.stream().noneMatch(known -> known.path.equals(path))) {
            found.add(new Candidate(source, path));
        }
    }

    /**
     * Return the first candidate that can run the server. {@code probe}: returns the problem of a local Python, or
     * empty. A remote Python is never run.
     */
    public static Choice choose(List<Candidate> candidates, Function<String, Optional<Probe.Problem>> probe) {
        List<Rejected> rejected = new ArrayList<>();
        for (Candidate candidate : candidates) {
            Optional<Probe.Problem> problem = isRemote(candidate.path)
                    ? Optional.of(new Probe.Problem("python.remote", ""))
                    : probe.apply(candidate.path);
            if (problem.isEmpty()) {
                return new Choice(Optional.of(candidate), rejected);
            }
            rejected.add(new Rejected(candidate, problem.get().reason(), problem.get().detail()));
            if (candidate.source == Source.SETTING) {
                break;
            }
        }
        return new Choice(Optional.empty(), rejected);
    }

    /**
     * Whether a path is that of an interpreter on SSH, Docker, Compose, Vagrant or WSL: it has a scheme or is a network
     * share.
     */
    static boolean isRemote(String path) {
        String lower = path.toLowerCase(Locale.ROOT).replace('/', '\\');
        return path.contains("://") || lower.startsWith("\\\\wsl$\\") || lower.startsWith("\\\\wsl.localhost\\");
    }
}
