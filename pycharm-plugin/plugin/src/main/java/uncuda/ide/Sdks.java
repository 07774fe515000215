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

/** The Python interpreters that a project has, as paths; null where there is none. Call with a read lock. */
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

    /** The Pythons that the IDE knows, after none. */
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
