package uncuda.ide;

import uncuda.core.Commands;

public final class FixAllHereAction extends ServerAction {
    public FixAllHereAction() {
        super(Commands.FIX_ALL_HERE);
    }
}
