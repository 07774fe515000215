package uncuda.core;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tests whether a Python can run the server, by running it with the server's options and environment.
 *
 * @param needsPackage whether uncuda must be installed for the Python; if not, the Python runs isolated from the user's
 * packages
 * @param folder the working directory, from which Python can import modules
 */
public record Probe(boolean needsPackage, Path folder, Environment environment) {
    /** {@code reason}: the key of the message. */
    public record Problem(String reason, String detail) {
    }

    private static final int SECONDS = 20;
    private static final int LONGEST_DETAIL = 200;
    /**
     * The program that the Python runs; it works on every version, Python 2 too. It contains no double quotes, because
     * Java does not escape them on Windows.
     */
    static final String QUESTION = """
            import sys
            try:
                from importlib.util import find_spec
                there = find_spec('uncuda') is not None
            except ImportError:
                there = False
            print('\\nuncuda %d %d %s' % (sys.version_info[:2] + (there and 'there' or 'absent',)))""";
    /** Matches the answer in the output, which may also contain text that a sitecustomize prints. */
    private static final Pattern ANSWER =
            Pattern.compile("^uncuda (\\d+) (\\d+) (there|absent)\\s*$", Pattern.MULTILINE);

    public Optional<Problem> ask(String python) {
        try {
            String answer = run(python, needsPackage ? List.of() : List.of("-I"));
            boolean isBefore34 = answer.contains("Unknown option: -I");
            return judge(isBefore34 ? run(python, List.of()) : answer);
        } catch (IOException e) {
            return Optional.of(new File(python).exists()
                    ? new Problem("python.broken", shortened(e.getMessage()))
                    : new Problem("python.absent", ""));
        } catch (TimeoutException e) {
            return Optional.of(new Problem("python.silent", ""));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(new Problem("python.silent", ""));
        }
    }

    /**
     * The output of the Python, including standard error. The output goes into a file, because a full pipe that nobody
     * reads would block the Python.
     */
    private String run(String python, List<String> options) throws IOException, InterruptedException, TimeoutException {
        List<String> command = new ArrayList<>(List.of(python));
        command.addAll(options);
        command.addAll(List.of("-c", QUESTION));
        File output = Files.createTempFile("uncuda", ".txt").toFile();
        try {
            ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
                    .redirectErrorStream(true).redirectOutput(output);
            builder.environment().clear();
            builder.environment().putAll(environment.variables());
            Process process = builder.start();
            try {
                process.getOutputStream().close();
                if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                    throw new TimeoutException();
                }
            } finally {
                process.destroyForcibly();
            }
            return new String(Files.readAllBytes(output.toPath()), StandardCharsets.UTF_8);
        } finally {
            output.delete();
        }
    }

    Optional<Problem> judge(String answer) {
        Matcher match = ANSWER.matcher(answer);
        if (!match.find()) {
            String said = answer.strip();
            return Optional.of(said.isEmpty()
                    ? new Problem("python.none", "")
                    : new Problem("python.broken", shortened(said.substring(said.lastIndexOf('\n') + 1))));
        }
        int major = Integer.parseInt(match.group(1));
        if (major < 3 || major == 3 && Integer.parseInt(match.group(2)) < 10) {
            return Optional.of(new Problem("python.old", match.group(1) + "." + match.group(2)));
        }
        return needsPackage && match.group(3).equals("absent")
                ? Optional.of(new Problem("python.package", ""))
                : Optional.empty();
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST_DETAIL ? text : text.substring(0, LONGEST_DETAIL) + "…";
    }
}
