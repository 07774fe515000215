package uncuda.ide;

import uncuda.core.Commands;

public final class FixAllInFileAction extends ServerAction {
    public FixAllInFileAction() {
        super(Commands.FIX_ALL_IN_FILE);
    }
}
