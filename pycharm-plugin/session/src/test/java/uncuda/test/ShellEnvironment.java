package uncuda.test;

import com.intellij.util.EnvironmentUtil;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import kotlinx.coroutines.CompletableDeferredKt;

/** What the IDE would have read from the user's shell, in the place where JetBrains' core keeps it. */
final class ShellEnvironment {
    private ShellEnvironment() {
    }

    static void set(Map<String, String> variables) throws ReflectiveOperationException {
        place().set(CompletableDeferredKt.CompletableDeferred(variables));
    }

    /** Where there is none, the core takes that of this process. */
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
