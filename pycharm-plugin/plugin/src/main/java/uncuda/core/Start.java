package uncuda.core;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import uncuda.core.Interpreters.Candidate;
import uncuda.core.Interpreters.Choice;
import uncuda.core.Interpreters.Rejected;
import uncuda.core.Interpreters.Source;

/** Builds the command line of the server. */
public final class Start {
    /** The server cannot be started. {@code installCommand}: a terminal command that installs a Python, or "". */
    public static final class Failure extends Exception {
        private static final long serialVersionUID = 1;
        private final String installCommand;

        Failure(String message, String installCommand) {
            super(message);
            this.installCommand = installCommand;
        }

        public String installCommand() {
            return installCommand;
        }
    }

    private Start() {
    }

    public static List<String> command(
            Options options, List<Candidate> candidates, Bundle bundle, Environment environment, Messages messages)
            throws Failure {
        boolean needsPackage = !options.isBundled();
        Probe probe = new Probe(needsPackage, bundle.folder(), environment);
        Choice choice = Interpreters.choose(candidates, probe::ask);
        if (choice.python().isEmpty()) {
            throw new Failure(explain(choice.rejected(), messages), installCommand(choice.rejected()));
        }
        String python = choice.python().get().path();
        if (needsPackage) {
            return List.of(python, "-m", "uncuda", "server", "--stdio");
        }
        Path launcher = bundle.launcher();
        if (!Files.isRegularFile(launcher)) {
            throw new Failure(messages.get("start.no-bundle", launcher), "");
        }
        return List.of(python, "-I", launcher.toString(), "server", "--stdio");
    }

    private static String explain(List<Rejected> rejected, Messages messages) {
        return messages.get(isOfSetting(rejected) ? "start.setting" : "start.no-python") + rejected.stream()
                .map(one -> "\n%s: %s: %s".formatted(messages.get("source." + key(one)), one.candidate().path(),
                        messages.get(one.reason(), one.detail())))
                .collect(Collectors.joining());
    }

    private static String key(Rejected one) {
        return one.candidate().source().name().toLowerCase(Locale.ROOT);
    }

    private static boolean isOfSetting(List<Rejected> rejected) {
        return rejected.stream().anyMatch(one -> one.candidate().source() == Source.SETTING);
    }

    /**
     * A command that installs a Python. Empty if installing one does not help: the setting has to be changed, or a
     * Python lacks only the package uncuda, which no package index has yet; the message then says what to do.
     */
    static String installCommand(List<Rejected> rejected) {
        boolean lacksPackage = rejected.stream().anyMatch(one -> one.reason().equals("python.package"));
        return lacksPackage || isOfSetting(rejected) ? "" : pythonFor(System.getProperty("os.name", ""));
    }

    static String pythonFor(String system) {
        if (system.startsWith("Windows")) {
            return "winget install --id Python.Python.3.13";
        }
        return system.startsWith("Mac") ? "brew install python3" : "sudo apt-get install python3";
    }
}
