package uncuda.ide;

import uncuda.core.Commands;

public final class SwitchTargetAction extends ServerAction {
    public SwitchTargetAction() {
        super(Commands.SWITCH_TARGET);
    }
}
