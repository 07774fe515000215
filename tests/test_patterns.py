"""Tests of patterns: they match as in git, in time linear in their size, and invalid patterns are reported."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from pathspec import GitIgnoreSpec

from support.bounded import run_bounded
from uncuda.settings import PatternError, Patterns, pattern_set, read_patterns

# Matching each of the following patterns once took a minute or more.
HOSTILE = """
from uncuda.settings import read_patterns

def decide(pattern, path):
    patterns, problems = read_patterns([pattern])
    assert not problems
    print(patterns.decide(path))

decide("*a*a*a*a*a*b", "a" * 250)
decide("*a*a*a*a*a*b", "a" * 250 + "b")
decide("*a" * 2000 + "*b", "a" * 4000)
decide("*[!b]*[!b]*[!b]*[!b]*[!b]*[!b]x", "a" * 250)
decide("?*" * 2000 + "b", "a" * 4000)
decide("**/a" * 100 + "/b", "a/" * 2000)
decide("/".join(["a", *["**", "b"] * 500, "c"]), "a/" + "b/" * 1500 + "d")
decide("/".join(["a", *["**", "b"] * 500, "c"]), "a/" + "b/" * 1500 + "c")
decide("**/*a*/**/*a*/**/*a*b", ("a" * 20 + "/") * 150)
decide("*a*/*a*/*a*/*a*/*a*/*b*c", ("a" * 100 + "/") * 30)
"""


def test_time_follows_the_size() -> None:
    expected = [None, True, None, None, None, None, None, True, None, None]
    assert run_bounded(HOSTILE).split() == list(map(str, expected))


def pattern(random: random.Random, pieces: str) -> str:
    def segment() -> str:
        return "**" if random.random() < 0.2 else "".join(random.choices(pieces.split(), k=random.randint(1, 6)))

    body = "/".join(segment() for _ in range(random.randint(1, 5)))
    return f"{random.choice(['', '', '', '!'])}{random.choice(['', '', '/'])}{body}{random.choice(['', '', '/'])}"


def path(random: random.Random) -> str:
    names = ("".join(random.choices("abc", k=random.randint(1, 4))) for _ in range(random.randint(1, 6)))
    return "/".join(names)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_as_pathspec(seed: int) -> None:
    """The patterns match as in pathspec. The test uses no negated bracket (`[!a]`), because it matches a slash in
    pathspec, but not in git."""
    number = random.Random(seed)
    taken = 0
    for _ in range(200):
        lines = [pattern(number, r"a b c * ? * ** [ab] \a") for _ in range(number.choice([1, 1, 3]))]
        spec, (patterns, problems) = GitIgnoreSpec.from_lines(lines), read_patterns(lines)
        assert not problems
        for place in (path(number) + number.choice(["", "/"]) for _ in range(15)):
            expected = spec.check_file(place).include
            taken += expected is not None
            assert patterns.decide(place) == expected, (lines, place)
    assert taken > 300


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_same_as_git(tmp_path: Path) -> None:
    """uncuda's patterns differ from git's only where pathspec's differ from git's, too."""
    number = random.Random(7)
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    ours_right = theirs_right = 0
    for _ in range(40):
        lines = [pattern(number, r"a b c * ? * [ab] [!a] [+-a] \a") for _ in range(number.choice([1, 2, 3]))]
        places = [path(number) for _ in range(40)]
        taken = git_ignores(tmp_path, lines, places)
        patterns, spec = read_patterns(lines)[0], GitIgnoreSpec.from_lines(lines)
        for place in places:
            ours, theirs = walked_to(patterns, place), bool(spec.check_file(place).include)
            ours_right += ours == (place in taken)
            theirs_right += theirs == (place in taken)
            assert ours in (place in taken, theirs), (lines, place)
    assert ours_right > theirs_right
    assert ours_right > 0.98 * 40 * 40


def git_ignores(folder: Path, lines: list[str], places: list[str]) -> set[str]:
    (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        ["git", "-C", str(folder), "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(places).encode(),
        capture_output=True,
        check=False,
    )
    return set(done.stdout.decode().split("\0")) - {""}


def walked_to(patterns: Patterns, place: str) -> bool:
    """Return whether walking a folder leaves out a path or one of its parents."""
    names = place.split("/")
    folders = ("/".join(names[:end]) + "/" for end in range(1, len(names)))
    return any(patterns.decide(folder) for folder in folders) or bool(patterns.decide(place))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("[z-a]", "invalid pattern `[z-a]`: bad character range z-a"),
        ("a\\", "invalid pattern `a\\`: nothing follows the backslash"),
        ("!", "invalid pattern `!`"),
        ("x" * 5000, "a pattern longer than 4,096 characters"),
        ("[z-a]" + "x" * 100, f"invalid pattern `[z-a]{'x' * 75}…`: bad character range z-a"),
    ],
)
def test_an_invalid_pattern_costs_itself(line: str, why: str) -> None:
    patterns, problems = read_patterns(["# why", "", line, "*.log"])
    assert [(problem.line, problem.message) for problem in problems] == [(3, why)]
    assert patterns.decide("a.log") is True
    assert patterns.decide("a.py") is None


def test_a_bracket_in_a_bracket_is_no_warning() -> None:
    assert read_patterns(["[[abc]"])[0].decide("a") is True


def test_too_many() -> None:
    assert read_patterns(["#"] * 100_000 + ["a"])[0].decide("a") is True
    with pytest.raises(PatternError, match="more than 5,000 patterns"):
        read_patterns(["a"] * 200_000)


def test_paths_from_the_root() -> None:
    assert pattern_set(("/data/ours/*.py",)).decide("/data/ours/a.py") is True
    assert pattern_set(("/data/ours/*.py",)).decide("/data/theirs/a.py") is None
