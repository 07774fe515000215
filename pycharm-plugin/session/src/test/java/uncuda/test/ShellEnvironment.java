package uncuda.test;

import com.intellij.util.EnvironmentUtil;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import kotlinx.coroutines.CompletableDeferredKt;

/**
 * Sets the environment variables that the IDE would read from the user's shell, in the field where JetBrains' core
 * stores them.
 */
final class ShellEnvironment {
    private ShellEnvironment() {
    }

    static void set(Map<String, String> variables) throws ReflectiveOperationException {
        place().set(CompletableDeferredKt.CompletableDeferred(variables));
    }

    /** Remove them: the core then uses the environment of this process. */
    static void forget() throws ReflectiveOperationException {
        place().set(null);
    }

    @SuppressWarnings("unchecked") // a private field, whose type is our word
    private static AtomicReference<Object> place() throws ReflectiveOperationException {
        Field field = EnvironmentUtil.class.getDeclaredField("ourEnvGetter");
        field.setAccessible(true);
        return (AtomicReference<Object>) field.get(null);
    }
}
