package com.intellij;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Gets the calls of all methods and constructors that platform_types.py writes. Tests say what they do. */
public final class Stub {
    /**
     * A call.
     *
     * @param on null for a static method
     * @param name "Type.method", or "Type.new"
     */
    public record Call(Object on, String name, List<Object> arguments) {
    }

    public static volatile Function<Call, Object> answers = call -> {
        throw new UnsupportedOperationException(call.name());
    };

    private Stub() {
    }

    @SuppressWarnings("unchecked") // the caller states the type of the method
    public static <T> T call(Object on, String name, Object... arguments) {
        return (T) answers.apply(new Call(on, name, Arrays.asList(arguments)));
    }
}
