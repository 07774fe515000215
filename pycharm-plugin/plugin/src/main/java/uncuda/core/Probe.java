package uncuda.core;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Asks a Python whether it can run the server, by running it. */
public final class Probe {
    /** {@code reason}: a key of the messages. */
    public record Problem(String reason, String detail) {
    }

    private static final int SECONDS = 20;
    private static final String QUESTION = """
            import sys, importlib.util as u
            print("uncuda", *sys.version_info[:2], "there" if u.find_spec("uncuda") else "absent")""";

    private Probe() {
    }

    /**
     * @param needsPackage whether uncuda must be installed there
     * @param folder where it is run: Python finds the modules that lie there
     */
    public static Optional<Problem> ask(String python, boolean needsPackage, Path folder) {
        try {
            Process process = new ProcessBuilder(List.of(python, "-c", QUESTION)).directory(folder.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            process.getOutputStream().close();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return Optional.of(new Problem("python.silent", ""));
            }
            return judge(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8), needsPackage);
        } catch (IOException e) {
            return Optional.of(new Problem("python.absent", ""));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(new Problem("python.silent", ""));
        }
    }

    static Optional<Problem> judge(String answer, boolean needsPackage) {
        String[] words = answer.strip().split(" ");
        if (words.length != 4 || !words[0].equals("uncuda")) {
            return Optional.of(new Problem("python.none", ""));
        }
        int major = Integer.parseInt(words[1]);
        if (major < 3 || major == 3 && Integer.parseInt(words[2]) < 10) {
            return Optional.of(new Problem("python.old", words[1] + "." + words[2]));
        }
        return needsPackage && words[3].equals("absent")
                ? Optional.of(new Problem("python.package", ""))
                : Optional.empty();
    }
}
