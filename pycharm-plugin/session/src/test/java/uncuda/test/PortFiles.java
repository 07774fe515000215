package uncuda.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A project with one finding of each class: safe in a.py, to review in b.py, by hand in c.py. */
final class PortFiles {
    static final String SAFE = "import torch\n\nn = torch.cuda.device_count()\n";
    private static final String REVIEW = "from torch.utils.cpp_extension import CUDAExtension\n";
    private static final String BY_HAND = "import torch\nimport flash_attn\n";

    private PortFiles() {
    }

    /** Create the project in {@code folder} and return the project's folder. */
    static Path write(Path folder) throws IOException {
        Path project = Files.createDirectory(folder.toRealPath().resolve("project"));
        Files.writeString(project.resolve("a.py"), SAFE);
        Files.writeString(project.resolve("b.py"), REVIEW);
        Files.writeString(project.resolve("c.py"), BY_HAND);
        return project;
    }

    /** Return the platform with this project open, for Ascend NPU and in English. */
    static MiniPlatform open(Path project) throws Exception {
        MiniPlatform ide = new MiniPlatform(MiniPlatform.JAR, project);
        Settings.set(ide.project, "interpreter", System.getProperty("test.python"));
        Settings.set(ide.project, "target", "npu");
        Settings.set(ide.project, "locale", "en");
        return ide;
    }
}
