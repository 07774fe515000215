package uncuda.surface;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** How JetBrains' api dumps write members: {@code psf:name(java.lang.String,I):V}. */
final class Notation {
    private Notation() {
    }

    static String method(String name, String descriptor) {
        String parameters = Arrays.stream(Type.getArgumentTypes(descriptor)).map(Notation::type)
                .collect(Collectors.joining(","));
        return name + "(" + parameters + "):" + type(Type.getReturnType(descriptor));
    }

    static String field(String name, String descriptor) {
        return name + ":" + type(Type.getType(descriptor));
    }

    private static String type(Type type) {
        return switch (type.getSort()) {
            case Type.ARRAY -> type(type.getElementType()) + "[]".repeat(type.getDimensions());
            case Type.OBJECT -> type.getClassName();
            default -> type.getDescriptor();
        };
    }

    static String flags(int access) {
        String flags = flag(access, Opcodes.ACC_PROTECTED, "p") + flag(access, Opcodes.ACC_STATIC, "s")
                + flag(access, Opcodes.ACC_FINAL, "f") + flag(access, Opcodes.ACC_ABSTRACT, "a");
        return flags.isEmpty() ? "" : flags + ":";
    }

    private static String flag(int access, int bit, String letter) {
        return (access & bit) == 0 ? "" : letter;
    }

    /** A member without its flags. */
    static String bare(String member) {
        return member.replaceFirst("^[a-zA-Z*]+:(?=.*[:(])", "");
    }
}
