package uncuda.ide;

import uncuda.core.Commands;

public final class PreviewFixAllInProjectAction extends ServerAction {
    public PreviewFixAllInProjectAction() {
        super(Commands.PREVIEW_FIX_ALL_IN_PROJECT);
    }
}
