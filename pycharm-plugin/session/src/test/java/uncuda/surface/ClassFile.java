package uncuda.surface;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/** A compiled class: what it declares, in the notation of JetBrains' api dumps, and what it refers to. */
final class ClassFile {
    private final byte[] bytes;
    private final ClassReader reader;

    ClassFile(byte[] bytes) {
        this.bytes = bytes.clone();
        reader = new ClassReader(bytes);
    }

    /** All class files in a folder or a jar. */
    static List<ClassFile> in(Path folderOrJar) throws IOException {
        if (Files.isDirectory(folderOrJar)) {
            return walk(folderOrJar);
        }
        try (FileSystem jar = FileSystems.newFileSystem(folderOrJar)) {
            return walk(jar.getPath("/"));
        }
    }

    private static List<ClassFile> walk(Path root) throws IOException {
        List<ClassFile> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            files.filter(file -> file.toString().endsWith(".class")).forEach(file -> {
                try {
                    found.add(new ClassFile(Files.readAllBytes(file)));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return found;
    }

    String name() {
        return reader.getClassName().replace('/', '.');
    }

    Set<String> parents() {
        Set<String> parents = new TreeSet<>();
        if (reader.getSuperName() != null && !reader.getSuperName().equals("java/lang/Object")) {
            parents.add(reader.getSuperName().replace('/', '.'));
        }
        for (String parent : reader.getInterfaces()) {
            parents.add(parent.replace('/', '.'));
        }
        return parents;
    }

    /** Public and protected members, with their flags, as a dump writes them. */
    Set<String> members() {
        Set<String> members = new TreeSet<>();
        reader.accept(new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String sig, String[] thrown) {
                add(access, Notation.method(name, descriptor));
                return null;
            }

            @Override
            public FieldVisitor visitField(int access, String name, String descriptor, String sig, Object value) {
                add(access, Notation.field(name, descriptor));
                return null;
            }

            private void add(int access, String member) {
                boolean isOpen = (access & (Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED)) != 0;
                if (isOpen && (access & Opcodes.ACC_SYNTHETIC) == 0) {
                    members.add(Notation.flags(access) + member);
                }
            }
        }, ClassReader.SKIP_CODE);
        return members;
    }

    /** Types that it names, each with the members that it names of them: the remapper is asked for every one. */
    Map<String, Set<String>> references() {
        Map<String, Set<String>> found = new TreeMap<>();
        Remapper collector = new Remapper() {
            @Override
            public String map(String name) {
                of(name);
                return name;
            }

            @Override
            public String mapMethodName(String owner, String name, String descriptor) {
                of(owner).add(Notation.method(name, descriptor));
                return name;
            }

            @Override
            public String mapFieldName(String owner, String name, String descriptor) {
                of(owner).add(Notation.field(name, descriptor));
                return name;
            }

            private Set<String> of(String name) {
                return found.computeIfAbsent(name.replace('/', '.'), any -> new TreeSet<>());
            }
        };
        new ClassReader(bytes).accept(new ClassRemapper(new ClassWriter(0), collector), 0);
        return found;
    }
}
