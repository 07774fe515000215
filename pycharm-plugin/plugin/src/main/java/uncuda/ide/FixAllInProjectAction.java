package uncuda.ide;

import uncuda.core.Commands;

public final class FixAllInProjectAction extends ServerAction {
    public FixAllInProjectAction() {
        super(Commands.FIX_ALL_IN_PROJECT);
    }
}
