"""The kinds of input, by name."""

from collections.abc import Callable

from fuzz.configuration import Configuration
from fuzz.edits import Edits
from fuzz.files import Files
from fuzz.frames import Frames
from fuzz.methods import Methods
from fuzz.model import Kind
from fuzz.names import Names

KINDS: dict[str, Callable[[], Kind]] = {
    kind.name: kind for kind in (Files, Edits, Frames, Methods, Configuration, Names)
}
