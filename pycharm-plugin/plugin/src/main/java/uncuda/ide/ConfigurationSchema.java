package uncuda.ide;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.jetbrains.jsonSchema.extension.JsonSchemaFileProvider;
import com.jetbrains.jsonSchema.extension.JsonSchemaProviderFactory;
import com.jetbrains.jsonSchema.extension.SchemaType;
import java.util.List;

/**
 * The JSON schema of uncuda.toml, with which the IDE completes and checks the keys if it has the plugins for JSON and
 * TOML.
 */
public final class ConfigurationSchema implements JsonSchemaProviderFactory, JsonSchemaFileProvider {
    @Override
    public List<JsonSchemaFileProvider> getProviders(Project project) {
        return List.of(this);
    }

    @Override
    public boolean isAvailable(VirtualFile file) {
        return file.getName().equals("uncuda.toml");
    }

    @Override
    public String getName() {
        return "uncuda";
    }

    @Override
    public VirtualFile getSchemaFile() {
        return JsonSchemaProviderFactory.getResourceFile(ConfigurationSchema.class, "/uncuda.schema.json");
    }

    @Override
    public SchemaType getSchemaType() {
        return SchemaType.embeddedSchema;
    }
}
