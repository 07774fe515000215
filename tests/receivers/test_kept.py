"""Tests that verdicts on receivers (is the type of `x` in `x.cuda()` torch's?) are cached while the code on which they
depend is unchanged, and that they arrive later, on another thread. The verdict on a receiver named `wait` is held back
until the test asks for it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from receivers.processes import Starts
from receivers.project import sites
from uncuda.project import Answers, Site
from uncuda.receivers import Receivers
from uncuda.receivers.relevant import Relevant
from uncuda.source import Span

TEXT = '''\
"""A module."""
import torch
from pkg import Batch


@register("made")
def make(x):
    """Long
text at the margin, def make(): nothing
    """
    return wrap(x)


def wrap(x):
    return Batch(x)


if torch.cuda.is_available():
    WIDTH = 1
else:
    WIDTH = 2


class Trainer:
    def __init__(self):
        self.batch = Batch(WIDTH)

    def step(self):
        self.batch.cuda()


def unrelated():
    text = """
def make(x):
"""
    return 3


def run(x):
    y = make(x)
    y.cuda()
'''


def key(text: str, before: str) -> object:
    """Return the cache key for the verdict on `.cuda`, in a text that begins with `before`."""
    at = text.index("cuda", text.index(before))
    return Relevant(text).key(Site("cuda-method", Span(at, at + 4), at))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return 3", "return 4"),
        ("    y = make(x)\n", "    y = make(x)\n    print(y)\n"),
        ('"""A module."""\n', '"""A module."""\n\n# A comment.\n'),
        ("def unrelated():", "def new():\n    pass\n\n\ndef unrelated():"),
    ],
)
def test_an_edit_elsewhere_changes_nothing(old: str, new: str) -> None:
    assert old in TEXT
    assert key(TEXT.replace(old, new), "self.batch.") == key(TEXT, "self.batch.")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    y = make(x)\n", "    y = make(y)\n"),
        ("return wrap(x)", "return wrap(y)"),
        ("return Batch(x)", "return torch.zeros(x)"),
        ("from pkg import Batch", "from pkg import Other as Batch"),
        ('@register("made")', '@register("other")'),
        ("import torch\n", "import torch\nBatch.cuda = None\n"),
        ("import torch\n", "import torch\nfrom pkg import *\n"),
    ],
)
def test_an_edit_of_what_leads_there_changes_the_key(old: str, new: str) -> None:
    assert old in TEXT
    assert key(TEXT.replace(old, new), "y.") != key(TEXT, "y.")


@pytest.mark.parametrize("old", ["self.batch = Batch(WIDTH)", "WIDTH = 1", "WIDTH = 2", "torch.cuda.is_available()"])
def test_a_class_and_the_conditions_above_it_count(old: str) -> None:
    assert key(TEXT.replace(old, old.replace("W", "V").replace("cuda", "gpu")), "self.batch.") != key(
        TEXT, "self.batch."
    )


def test_two_places_of_one_function_have_keys_of_their_own() -> None:
    text = "def f(x, y):\n    x.cuda()\n    y.cuda()\n"
    assert key(text, "x.") != key(text, "y.")


def test_two_statements_that_lead_to_the_same_have_keys_of_their_own() -> None:
    text = "import net\nxx = net.A()\nyyy = net.B()\nxx.cuda()\nyyy.cuda()\nprint(xx, yyy)\n"
    first, second = text.index("xx.cuda") + 3, text.index("yyy.cuda") + 4
    keys = [Relevant(text).key(Site("cuda-method", Span(at, at + 4), at)) for at in (first, second - 1, second)]
    assert len(set(keys)) == 3


@pytest.mark.parametrize("text", ["", "\n\n", "x.cuda()", '"""', "@d\n", "\tx.cuda()\ny", "x\r.cuda()\r"])
def test_any_text_has_parts(text: str) -> None:
    site = Site("cuda-method", Span(0, 1), min(1, len(text)))
    assert Relevant(text).key(site) == Relevant(text).key(site)


def test_an_answer_is_known_after_an_edit_elsewhere_and_not_after_one_that_counts() -> None:
    starts = Starts()
    receivers = Receivers([], question_seconds=60, start=starts)
    text = "silent: int\n\n\ndef f(x):\n    x.cuda()\n\n\ndef g():\n    pass\n"
    text = text.replace("    x.cuda()", "silent: x.cuda()").replace("def f(x):\n", "")
    asked = sites(text)
    assert receivers.known("a.py", text, asked) == {}
    (answer,) = receivers.ask("a.py", text, asked).values()
    assert answer == "silent"
    moved = "import os\n" + text.replace("pass", "return 1")
    (site,) = sites(moved)
    assert receivers.known("a.py", moved, [site]) == {site: "silent"}
    assert receivers.known("b.py", moved, [site]) == {}
    changed = moved.replace("x.cuda", "xy.cuda")
    assert receivers.known("a.py", changed, sites(changed)) == {}
    receivers.forget()
    assert receivers.known("a.py", moved, [site]) == {}
    receivers.close()


class Later:
    """A `Receivers`, which searches for the types of receivers on another thread, and a queue of its results."""

    def __init__(self, folder: Path) -> None:
        self.starts = Starts()
        self.receivers = Receivers([], question_seconds=60, start=self.starts)
        self.answers: queue.Queue[tuple[str, list[str]]] = queue.Queue()
        self.gate = folder / "gate"

    def submit(self, path: str, *words: str) -> None:
        """Submit a text with one line for each of `words`, and ask for the verdict on the object at the start of each
        line; the test process returns the word of the line as its verdict."""
        lines = [str(self.gate), *(f"{word}: {number}" for number, word in enumerate(words))]
        text = "".join(line + "\n" for line in lines)
        starts = [text.index(f"{word}: {number}") for number, word in enumerate(words)]
        asked = [Site("rule", Span(start, start), start) for start in starts]
        self.receivers.submit(path, text, asked, self._callback(path, asked))

    def _callback(self, path: str, asked: list[Site]) -> Callable[[Answers], None]:
        return lambda answers: self.answers.put((path, [answers[site] for site in asked]))

    def next(self) -> tuple[str, list[str]]:
        """Wait for the next answer; return the path and, for each line of the text, the verdict on its object."""
        return self.answers.get(timeout=60)

    def open_gate(self) -> None:
        """Let the process give the verdicts on the receivers named `wait`, which it has held back until now."""
        self.gate.touch()


@pytest.fixture
def later(tmp_path: Path) -> Iterator[Later]:
    made = Later(tmp_path)
    yield made
    made.receivers.close()


def test_answers_come_later_on_another_thread(later: Later) -> None:
    later.submit("a.py", "silent", "review")
    assert later.next() == ("a.py", ["silent", "review"])


def test_of_a_path_only_the_last_text_is_answered(later: Later) -> None:
    later.submit("a.py", "wait", "silent")
    later.submit("b.py", "silent")
    later.submit("a.py", "review")
    later.submit("b.py", "review")
    later.open_gate()
    assert sorted(later.next() for _ in range(2)) == [("a.py", ["review"]), ("b.py", ["review"])]
    assert later.answers.empty()


def test_what_is_cancelled_is_not_answered(later: Later) -> None:
    later.submit("a.py", "wait")
    later.submit("b.py", "silent")
    later.receivers.cancel("a.py")
    later.receivers.cancel("b.py")
    later.receivers.cancel("never-asked.py")
    later.submit("c.py", "review")
    later.open_gate()
    assert later.next() == ("c.py", ["review"])
    assert later.answers.empty()


def test_closing_does_not_wait_for_an_answer(later: Later) -> None:
    later.submit("a.py", "wait")
    later.submit("b.py", "silent")
    later.receivers.close()
    for thread in [thread for thread in threading.enumerate() if thread.name == "receivers"]:
        thread.join(60)
        assert not thread.is_alive()
    assert later.answers.empty()
    assert not later.starts.alive
    later.submit("c.py", "silent")
    assert not later.starts.alive


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_callback_that_fails_does_not_stop_the_rest(later: Later) -> None:
    site = Site("rule", Span(0, 0), 0)
    failed = threading.Event()

    def fail(answers: Answers) -> None:
        failed.set()
        raise RuntimeError("in the callback")

    later.receivers.submit("a.py", "silent: 1\n", [site], fail)
    assert failed.wait(60)
    failing = [thread for thread in threading.enumerate() if thread.name == "receivers"]
    # the error of a thread is raised when the thread ends, so the test ends it where the warning is expected
    for thread in failing:
        thread.join(60)
    later.submit("b.py", "review")
    assert later.next() == ("b.py", ["review"])
