package uncuda.ide;

import com.intellij.openapi.module.Module;
import com.intellij.openapi.module.ModuleUtilCore;
import com.intellij.openapi.project.Project;
import com.intellij.openapi.projectRoots.ProjectJdkTable;
import com.intellij.openapi.projectRoots.Sdk;
import com.intellij.openapi.roots.ModuleRootManager;
import com.intellij.openapi.roots.ProjectRootManager;
import com.intellij.openapi.vfs.VirtualFile;
import java.util.ArrayList;
import java.util.List;

/** Returns the paths of a project's Python interpreters; null if there is none. Must be called with a read lock. */
final class Sdks {
    private static final String PYTHON = "Python SDK";

    private Sdks() {
    }

    static String ofModule(Project project, VirtualFile file) {
        Module module = file.isValid() ? ModuleUtilCore.findModuleForFile(file, project) : null;
        return module == null ? null : home(ModuleRootManager.getInstance(module).getSdk());
    }

    static String ofProject(Project project) {
        return home(ProjectRootManager.getInstance(project).getProjectSdk());
    }

    /** "" followed by the paths of all Pythons that the IDE knows. */
    static List<String> known() {
        List<String> found = new ArrayList<>(List.of(""));
        for (Sdk sdk : ProjectJdkTable.getInstance().getAllJdks()) {
            String home = home(sdk);
            if (home != null) {
                found.add(home);
            }
        }
        return found;
    }

    private static String home(Sdk sdk) {
        return sdk != null && PYTHON.equals(sdk.getSdkType().getName()) ? sdk.getHomePath() : null;
    }
}
