"""Random Python files, which the command line checks and fixes."""

from collections.abc import Sequence

from fuzz.commands import check_and_fix
from fuzz.model import Find, chance, first_of_run, told
from fuzz.texts import encoded, python
from fuzz.trees import tree

TARGETS = ("npu", "musa")
FORMATS = ("text", "github", "json", "sarif", "gitlab")


class Files:
    """Each fuzz input is a Python file."""

    name = "files"
    size = 40

    def run(self, seed: str, cases: Sequence[int]) -> list[Find]:
        """Check and fix a folder of files."""
        choose = chance(seed, self.name, f"run {first_of_run(self, cases)}")
        options = ["--target", choose.choice(TARGETS)]
        options += choose.choice(([], [], ["--strategy", "shim"], ["--locale", "zh"], ["--receivers"], ["--verbose"]))
        output_format, review = choose.choice(FORMATS), choose.random() < 0.5
        with tree() as folder:
            for case in cases:
                choose = chance(seed, self.name, case)
                (folder / f"f{case}.py").write_bytes(encoded(python(choose), choose))
            files = {f"tree/{path.name}": path.read_bytes() for path in folder.iterdir()}
            finds = list(check_and_fix(folder, output_format, options, review, len(cases)))
        files["options.txt"] = " ".join([*options, output_format, f"review={review}"]).encode()
        return [told(find, r"\bf", **files) for find in finds]
