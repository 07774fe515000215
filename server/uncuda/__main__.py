"""The entry point of the command `uncuda` and of `python -m uncuda`."""

import sys

from .import_path import imported_from_current_folder, leave_current_folder


def main() -> int:
    """Run the command line and return its exit code; modules from the current folder are not imported.

    If Python has already imported a module from the current folder, only an error is printed, because that module may
    contain any code.
    """
    file = imported_from_current_folder()
    leave_current_folder()
    if file:
        if sys.stderr is not None:
            sys.stderr.write(_IMPORTED.format(ascii(file)))
        return 2
    from .cli import main as run

    return run()


# This error is printed in English and Chinese, because the choice of a language would require importing more modules.
_IMPORTED = """\
uncuda: error: Python has imported {0} from the current folder, in place of a module of its own: nothing was done. \
Run `python -I -m uncuda`, or the command `uncuda` without PYTHONPATH.
uncuda: 错误：Python 从当前目录导入了 {0}，取代了它自己的模块：未执行任何操作。请运行 `python -I -m uncuda`，\
或在不设置 PYTHONPATH 的情况下运行命令 `uncuda`。
"""

if __name__ == "__main__":
    sys.exit(main())
