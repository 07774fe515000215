package uncuda.test;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.intellij.core.CoreApplicationEnvironment;
import com.intellij.core.CoreProjectEnvironment;
import com.intellij.ide.plugins.IdeaPluginDescriptorImpl;
import com.intellij.ide.plugins.PluginDescriptorLoader;
import com.intellij.mock.MockApplication;
import com.intellij.mock.MockProject;
import com.intellij.notification.NotificationGroup;
import com.intellij.notification.NotificationGroupManager;
import com.intellij.openapi.Disposable;
import com.intellij.openapi.actionSystem.ActionManager;
import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.components.ServiceDescriptor;
import com.intellij.openapi.extensions.ExtensionPoint;
import com.intellij.openapi.extensions.impl.ExtensionsAreaImpl;
import com.intellij.openapi.fileTypes.PlainTextFileType;
import com.intellij.openapi.module.Module;
import com.intellij.openapi.projectRoots.Sdk;
import com.intellij.openapi.projectRoots.SdkTypeId;
import com.intellij.openapi.roots.ModuleRootManager;
import com.intellij.openapi.roots.ProjectRootManager;
import com.intellij.openapi.util.Disposer;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.platform.lsp.api.LspServerDescriptor;
import com.intellij.platform.lsp.api.LspServerSupportProvider;
import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.picocontainer.PicoContainer;

/** JetBrains' core without a screen; JetBrains' own descriptor loader reads and registers the plugin. */
final class MiniPlatform implements AutoCloseable {
    static final Path FOLDER = Path.of(System.getProperty("test.plugin"));
    static final Path JAR = FOLDER.resolve("lib/uncuda.jar");

    final IdeaPluginDescriptorImpl plugin;
    final ExtensionsAreaImpl area;
    final MockProject project;
    final Answers answers = new Answers();
    /** The interpreters of the project and of its module; null for none. */
    Sdk projectSdk;
    Sdk moduleSdk;
    private final Disposable root = Disposer.newDisposable("mini-platform");
    private final CoreApplicationEnvironment environment = new CoreApplicationEnvironment(root, true);

    /** @param pluginRoot the plugin's jar, or a folder that contains META-INF/plugin.xml */
    MiniPlatform(Path pluginRoot, Path projectRoot) throws Exception {
        area = environment.getApplication().getExtensionArea();
        Path harness = Path.of(MiniPlatform.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        CoreApplicationEnvironment.registerExtensionPointAndExtensions(harness, "harness.xml", area);
        // The method cannot load the plugin: it throws a NullPointerException if a descriptor declares no extension
        // point.
        plugin = Objects.requireNonNull(PluginDescriptorLoader.loadForCoreEnv(pluginRoot, "plugin.xml"));
        plugin.registerExtensions(area.getNameToPointMap(), plugin.appContainerDescriptor, null);
        environment.registerFileType(PlainTextFileType.INSTANCE, "py"); // files of an unknown type have no document
        MockApplication application = environment.getApplication();
        application.registerService(NotificationGroupManager.class, group -> {
            assertEquals("uncuda", group); // the group that plugin.xml declares
            return answers.make(NotificationGroup.class);
        });
        application.registerService(ActionManager.class, new ActionManager() {
            @Override
            public AnAction getAction(String id) {
                return new Answers.Named(id, () -> { });
            }
        });
        project = projectAt(projectRoot);
        project.registerService(ProjectRootManager.class, new ProjectRootManager() {
            @Override
            public Sdk getProjectSdk() {
                return projectSdk;
            }
        });
        project.registerService(Module.class, module());
        for (ServiceDescriptor service : plugin.projectContainerDescriptor.getServices()) {
            register(Class.forName(service.serviceImplementation));
        }
    }

    /** Register a service of the plugin, as the IDE does; MockProject ignores the project services of a descriptor. */
    private <T> void register(Class<T> type) throws ReflectiveOperationException {
        Constructor<?> made = type.getConstructors()[0];
        project.registerService(type, type.cast(made.getParameterCount() == 0 ? made.newInstance() : made.newInstance(project)));
    }

    private MockProject projectAt(Path folder) {
        return new CoreProjectEnvironment(root, environment) {
            @Override
            protected MockProject createProject(PicoContainer parent, Disposable disposable) {
                return new MockProject(parent, disposable) {
                    @Override
                    public String getBasePath() {
                        return folder.toString();
                    }
                };
            }
        }.getProject();
    }

    private Module module() {
        ModuleRootManager roots = new ModuleRootManager() {
            @Override
            public Sdk getSdk() {
                return moduleSdk;
            }
        };
        return (Module) Proxy.newProxyInstance(Module.class.getClassLoader(), new Class<?>[] {Module.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getService" -> roots;
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    default -> null;
                });
    }

    static Sdk sdk(String type, String home) {
        return new Sdk() {
            @Override
            public SdkTypeId getSdkType() {
                return () -> type;
            }

            @Override
            public String getHomePath() {
                return home;
            }
        };
    }

    VirtualFile file(Path path) {
        return Objects.requireNonNull(environment.getLocalFileSystem().refreshAndFindFileByPath(path.toString()));
    }

    List<LspServerSupportProvider> providers() {
        ExtensionPoint<LspServerSupportProvider> point =
                area.getExtensionPoint("com.intellij.platform.lsp.serverSupportProvider");
        return point.getExtensionList();
    }

    /** Open a file as the IDE does; return the servers that the IDE would start. */
    List<LspServerDescriptor> open(Path path) {
        List<LspServerDescriptor> started = new ArrayList<>();
        VirtualFile file = file(path);
        providers().forEach(provider -> provider.fileOpened(project, file, started::add));
        return started;
    }

    @Override
    public void close() {
        Disposer.dispose(root);
    }
}
