package uncuda.core;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Which Python runs the server: the first that can, in the order in which they are given. What the setting names is
 * meant: if it cannot, that is the problem, and no other is tried.
 */
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

    /** A null or blank path is no candidate. {@code setting}: see {@link #fromSetting}. */
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

    /** The path that the user means: a bare name lies in PATH, "~" is the home folder, the rest lies in the project. */
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

    /** The file that a setting names; empty for a name that lies in PATH, and for what is not on this machine. */
    public static String pathOf(String value, String project) {
        boolean isFile = (value.contains("/") || value.contains("\\")) && !isRemote(value);
        return isFile ? fromSetting(value, project, Environment.of(Map.of())) : "";
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

    /** SSH, Docker, Compose, Vagrant and WSL interpreters have a scheme or a share for a path. */
    static boolean isRemote(String path) {
        String lower = path.toLowerCase(Locale.ROOT).replace('/', '\\');
        return path.contains("://") || lower.startsWith("\\\\wsl$\\") || lower.startsWith("\\\\wsl.localhost\\");
    }
}
