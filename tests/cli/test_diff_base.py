"""With --diff-base only findings on changed lines are reported; the tests create git repositories for this."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.command import CLEAN, SAFE, Run, check, make, uncuda
from support.notebook import notebook

SYNC = "torch.cuda.synchronize()\n"
OLD = "import torch\n\n" + SYNC
AUTHOR = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]


def git(*arguments: str, folder: str = ".") -> str:
    done = subprocess.run(
        ["git", "-C", folder, *AUTHOR, "-c", "protocol.file.allow=always", *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    )
    return done.stdout.strip()


def commit(folder: str = ".") -> str:
    git("add", "-A", folder=folder)
    git("commit", "-q", "--allow-empty", "-m", "x", folder=folder)
    return git("rev-parse", "HEAD", folder=folder)


def repository(files: dict[str, str | bytes], folder: str = ".") -> str:
    """Make a repository with one commit on `main`, and switch to another branch."""
    Path(folder).mkdir(exist_ok=True)
    git("init", "-q", "-b", "main", folder=folder)
    make({f"{folder}/{name}": text for name, text in files.items()})
    first = commit(folder)
    git("switch", "-q", "-c", "work", folder=folder)
    return first


def changed(*arguments: str, **more: Any) -> Run:
    return check("--diff-base", "main", *arguments, **more)


def places(run: Run) -> list[str]:
    assert run.code in (0, 1), run.err
    found = [(finding["path"], finding["range"]["start"]["line"]) for finding in run.json["findings"]]
    return [f"{path}:{line}" for path, line in found]


class TestWhatCounts:
    def test_committed_staged_and_unsaved_lines(self) -> None:
        repository({"a.py": OLD, "b.py": OLD, "c.py": OLD, "d.py": OLD})
        make({"a.py": "# more\n" + OLD + SYNC})
        commit()
        make({"b.py": OLD + SYNC})
        git("add", "-A")
        make({"c.py": "import torch\n\n\n" + SYNC + "x = 1\ntorch.cuda.empty_cache()\n"})
        assert places(changed()) == ["a.py:5", "b.py:4", "c.py:6"]
        assert changed().code == 1

    def test_nothing_changed(self) -> None:
        repository({"a.py": OLD})
        run = changed()
        assert (run.code, run.json["findings"]) == (0, [])

    def test_the_merge_base_counts_and_not_the_branch(self) -> None:
        repository({"a.py": OLD})
        git("switch", "-q", "main")
        make({"a.py": "import torch\n"})
        commit()
        git("switch", "-q", "work")
        make({"b.py": OLD})
        assert places(changed()) == ["b.py:3"]

    def test_untracked_and_new_files_count_whole(self) -> None:
        repository({"a.py": OLD})
        make({"b.py": OLD, "c.py": OLD, "d.py": OLD})
        git("add", "c.py")
        git("add", "--intent-to-add", "d.py")
        assert places(changed()) == ["b.py:3", "c.py:3", "d.py:3"]

    @pytest.mark.parametrize("staged", [False, True])
    def test_renames_are_followed(self, staged: bool) -> None:
        repository({"a.py": OLD + "".join(f"x{number} = {number}\n" for number in range(20))})
        Path("p").mkdir()
        git("mv", "a.py", "p/b.py")
        with Path("p/b.py").open("a") as file:
            file.write(SYNC)
        if not staged:
            commit()
        assert places(changed()) == ["p/b.py:24"]

    def test_a_detached_head(self) -> None:
        first = repository({"a.py": OLD})
        make({"a.py": OLD + SYNC})
        commit()
        git("switch", "-q", "--detach", "HEAD")
        assert places(changed()) == ["a.py:4"]
        assert places(check("--diff-base", first[:9])) == ["a.py:4"]

    def test_below_the_root_and_above_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        repository({"p/a.py": OLD, "q.py": OLD}, "r")
        make({"r/p/a.py": OLD + SYNC})
        assert places(changed("r")) == [f"{Path('r/p/a.py')}:4"]
        monkeypatch.chdir("r/p")
        assert places(changed()) == ["a.py:4"]

    def test_another_work_tree(self) -> None:
        repository({"a.py": OLD}, "r")
        git("worktree", "add", "-q", "../w", "main", folder="r")
        make({"w/a.py": OLD + SYNC})
        assert places(changed("w")) == [f"{Path('w/a.py')}:4"]

    def test_line_ends_alone_are_no_change(self) -> None:
        repository({"a.py": OLD})
        make({"a.py": OLD.replace("\n", "\r\n") + SYNC})
        assert places(changed()) == ["a.py:4"]

    def test_a_conflict_counts_whole(self) -> None:
        repository({"a.py": OLD})
        make({"a.py": OLD + "x = 1\n"})
        commit()
        git("switch", "-q", "main")
        make({"a.py": OLD + "x = 2\n"})
        commit()
        git("switch", "-q", "work")
        with pytest.raises(subprocess.CalledProcessError):
            git("merge", "main")
        make({"a.py": OLD})
        assert places(changed()) == ["a.py:3"]

    def test_notebooks(self) -> None:
        repository({"n.ipynb": notebook("import torch", SYNC, "x = 1")})
        make({"n.ipynb": notebook("import torch", SYNC, "x = 1\n" + SYNC)})
        (finding,) = changed().json["findings"]
        assert (finding["cell"], finding["range"]["start"]["line"]) == (3, 2)

    def test_standard_input(self) -> None:
        repository({"a.py": OLD})
        run = changed("-", "--stdin-filename", "a.py", stdin=OLD + SYNC)
        assert [finding["range"]["start"]["line"] for finding in run.json["findings"]] == [4]

    def test_links(self) -> None:
        make({"r/x": ""})
        Path("r/b.py").symlink_to("a.py")
        repository({"a.py": OLD}, "r")
        make({"r/a.py": OLD + SYNC})
        assert places(changed("r/b.py")) == ["r/b.py:4"]

    @pytest.mark.slow
    def test_workers_say_the_same(self) -> None:
        repository({f"f{number}.py": OLD for number in range(9)})
        make({f"f{number}.py": OLD + SYNC for number in range(0, 9, 2)})
        assert changed("--workers", "3") == changed("--workers", "1")
        assert len(places(changed())) == 5

    def test_with_a_baseline(self) -> None:
        repository({"a.py": OLD})
        make({"b.py": OLD})
        check("--write-baseline", "b.py")
        make({"b.py": OLD + "\n\ndef f():\n    " + SYNC, "c.py": OLD})
        assert places(changed()) == ["b.py:7", "c.py:3"]
        run = changed("--write-baseline")
        assert run.code == 2
        assert "--write-baseline cannot be combined with --diff-base" in run.err


class TestFix:
    def test_only_changed_lines_are_fixed(self) -> None:
        repository({"a.py": OLD, "b.py": OLD})
        make({"a.py": OLD + "torch.cuda.empty_cache()\n"})
        run = uncuda("fix", "--target", "npu", "--diff-base", "main")
        assert run.code == 0
        assert Path("a.py").read_text() == "import torch\nimport torch_npu\n\n" + SYNC + "torch.npu.empty_cache()\n"
        assert Path("b.py").read_text() == OLD
        again = uncuda("fix", "--target", "npu", "--diff-base", "main", "--workers", "2")
        assert "Nothing to fix" in again.err
        assert Path("b.py").read_text() == OLD


class TestSubmodules:
    def test_they_are_compared_with_the_commit_of_the_base(self) -> None:
        repository({"a.py": OLD, "b.py": OLD}, "lib")
        repository({"c.py": OLD}, "top")
        git("submodule", "--quiet", "add", "../lib", "lib", folder="top")
        commit("top")
        git("branch", "-qf", "main", folder="top")
        make({"top/lib/a.py": OLD + SYNC})
        commit("top/lib")
        make({"top/lib/b.py": OLD + "torch.cuda.empty_cache()\n"})
        here = Path.cwd()
        os.chdir("top")
        try:
            assert places(changed()) == ["lib/a.py:4", "lib/b.py:4"]
            os.chdir("lib")
            git("branch", "-f", "main", "HEAD")
            assert places(changed()) == ["b.py:4"]
        finally:
            os.chdir(here)

    def test_a_new_one_counts_whole(self, monkeypatch: pytest.MonkeyPatch) -> None:
        repository({"a.py": OLD}, "lib")
        repository({"c.py": OLD}, "top")
        git("submodule", "--quiet", "add", "../lib", "lib", folder="top")
        monkeypatch.chdir("top")
        assert places(changed()) == ["lib/a.py:3"]

    def test_a_commit_that_it_lacks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        repository({"a.py": OLD}, "lib")
        repository({"c.py": OLD}, "top")
        git("submodule", "--quiet", "add", "../lib", "lib", folder="top")
        commit("top")
        git("update-index", "--cacheinfo", f"160000,{'1' * 40},lib", folder="top")
        git("commit", "-qm", "x", folder="top")
        git("branch", "-qf", "main", folder="top")
        monkeypatch.chdir("top")
        run = changed()
        assert run.code == 2
        assert "does not have the commit 1111" in run.err
        assert "fetch-depth: 0" in run.err


class TestErrors:
    def test_no_repository(self) -> None:
        make({"a.py": OLD})
        run = changed()
        assert (run.code, run.out) == (2, "")
        assert "is in no git repository; run without --diff-base" in run.err
        assert "不在 git 仓库中" in changed("--locale", "zh").err

    @pytest.mark.parametrize("revision", ["nowhere", "--output=x", "-", "", "a\nb", "main:a.py"])
    def test_an_unknown_revision(self, revision: str) -> None:
        repository({"a.py": OLD})
        run = check(f"--diff-base={revision}")
        assert (run.code, run.out) == (2, "")
        assert "git knows no commit `" in run.err
        assert not Path("x").exists()

    def test_where_nothing_is_found_too(self) -> None:
        """A misspelt revision is reported as an error even if there are no findings."""
        repository({"a.py": CLEAN, "b.py": "x = 1\n"})
        run = check("--diff-base", "orgin/main")
        assert (run.code, run.out) == (2, "")
        assert "git knows no commit `orgin/main`" in run.err
        assert changed().code == 0

    def test_no_repository_where_nothing_is_found(self) -> None:
        make({"a.py": CLEAN})
        run = changed()
        assert (run.code, run.out) == (2, "")
        assert "is in no git repository" in run.err

    def test_no_commit_yet(self) -> None:
        git("init", "-q")
        make({"a.py": OLD})
        assert "git knows no commit `HEAD`" in check("--diff-base", "HEAD").err

    def test_no_commit_in_common(self) -> None:
        repository({"a.py": OLD})
        git("switch", "-q", "--orphan", "other")
        make({"a.py": OLD + SYNC})
        commit()
        run = changed()
        assert run.code == 2
        assert "`main` and HEAD have no commit in common" in run.err

    def test_a_shallow_clone(self) -> None:
        repository({"a.py": OLD}, "r")
        make({"r/a.py": OLD + SYNC})
        commit("r")
        git("switch", "-q", "main", folder="r")
        make({"r/b.py": OLD})
        commit("r")
        git("clone", "-q", "--depth=1", "--no-single-branch", "--branch", "work", f"file://{Path.cwd()}/r", "s")
        run = check("s", "--diff-base", "origin/main")
        assert run.code == 2
        assert "lacks the commit that `origin/main` and HEAD come from" in run.err
        assert "fetch-depth: 0" in run.err
        git("clone", "-q", "--depth=1", "--branch", "work", f"file://{Path.cwd()}/r", "t")
        run = check("t", "--diff-base", "origin/main")
        assert run.code == 2
        assert "git knows no commit `origin/main`, and this clone is shallow" in run.err
        assert "fetch-depth: 0" in run.err

    def test_no_git(self) -> None:
        repository({"a.py": OLD})
        Path("git").write_text("#!/bin/sh\ntouch ran\n")
        Path("git").chmod(0o755)
        run = changed(PATH=os.pathsep.join([".", "", str(Path.cwd() / "nothing"), str(Path.cwd())]))
        assert run.code == 2
        assert "--diff-base needs git" in run.err
        assert not Path("ran").exists()


needs_names = pytest.mark.skipif(sys.platform != "linux", reason="names that only Linux has")


class TestHostile:
    @needs_names
    def test_odd_names(self) -> None:
        names = ["a\nb.py", "c\tä.py", 'd"\\.py', os.fsdecode(b"e\xff.py"), "*.py", ":(top)f.py", "-g.py", " h.py"]
        repository(dict.fromkeys(names, OLD))
        for name in names:
            Path(name).write_text(OLD + SYNC)
        run = changed()
        assert sorted(
            (finding["path"], finding["range"]["start"]["line"]) for finding in run.json["findings"]
        ) == sorted((name, 4) for name in names)

    def test_configuration_that_changes_what_git_prints(self) -> None:
        repository({"a.py": OLD, "p/b.py": OLD})
        for name, value in {
            "diff.noprefix": "true",
            "diff.mnemonicPrefix": "true",
            "diff.relative": "true",
            "diff.renames": "false",
            "color.ui": "always",
            "core.quotePath": "true",
            "core.abbrev": "5",
            "diff.context": "9",
            "core.pager": "false",
        }.items():
            git("config", name, value)
        make({"a.py": OLD + SYNC})
        git("mv", "p/b.py", "c.py")
        assert places(changed()) == ["a.py:4"]

    def test_an_environment_that_names_another_repository(self) -> None:
        repository({"a.py": OLD})
        make({"a.py": OLD + SYNC, "other/x": ""})
        git("init", "-q", "-b", "main", folder="other")
        run = changed(
            GIT_DIR=str(Path("other/.git").absolute()),
            GIT_WORK_TREE=str(Path("other").absolute()),
            GIT_INDEX_FILE="nowhere",
            GIT_EXTERNAL_DIFF="false",
            GIT_CONFIG_PARAMETERS="'color.ui=always'",
        )
        assert places(run) == ["a.py:4"]

    @needs_names
    def test_nothing_that_the_repository_names_is_run(self) -> None:
        make({"bad.sh": f"#!/bin/sh\necho $0 $@ >> {Path.cwd()}/ran\ncat\n"})
        Path("bad.sh").chmod(0o755)
        bad = str(Path("bad.sh").absolute())
        repository({"a.py": OLD, "b.py": OLD, "sub/x": "", ".gitattributes": "*.py filter=bad diff=bad\n"}, "r")
        for name in (
            *("core.fsmonitor", "diff.external", "filter.bad.clean", "filter.bad.smudge", "filter.bad.process"),
            *("diff.bad.command", "diff.bad.textconv", "core.sshCommand", "core.pager", "core.editor", "core.askPass"),
            *("alias.diff-index", "alias.ls-files", "gpg.program", "credential.helper", "merge.bad.driver"),
        ):
            git("config", name, bad, folder="r")
        git("config", "core.hooksPath", str(Path.cwd() / "hooks"), folder="r")
        for hook in ("post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-commit"):
            make({f"hooks/{hook}": Path("bad.sh").read_text()})
            Path(f"hooks/{hook}").chmod(0o755)
        make({"r/a.py": OLD + SYNC, "r/new.py": OLD})
        os.utime("r/b.py")
        before = {path: path.stat().st_mtime_ns for path in Path("r/.git").rglob("*")}
        run = changed("r")
        assert places(run) == ["r/a.py:4", "r/new.py:3"]
        assert not Path("ran").exists()
        assert {path: path.stat().st_mtime_ns for path in Path("r/.git").rglob("*")} == before

    def test_a_partial_clone_says_what_to_do_about_renames(self) -> None:
        """To find out whether a file was renamed, git reads the file's old text, which a partial clone may lack."""
        repository({"a.py": OLD})
        blob = git("rev-parse", "HEAD:a.py")
        git("mv", "a.py", "b.py")
        make({"b.py": OLD + SYNC})
        git("add", "b.py")
        Path(f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
        run = changed()
        assert run.code == 2
        assert f"does not have the object {blob}; clone it without a filter" in run.err

    @needs_names
    @pytest.mark.parametrize("old", [False, True])
    def test_what_a_partial_clone_lacks_is_not_fetched(self, old: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        """The test repository contains the address of a remote and a setting that allows git to fetch from it. With
        `old`, git is a version that does not know the environment variable which forbids fetching."""
        git_then = f'#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec "{shutil.which("git")}" "$@"\n'
        make({"old/git": git_then, "here/x": ""})
        Path("old/git").chmod(0o755)
        path = f"{Path.cwd() / 'old'}{os.pathsep}{os.environ['PATH']}" if old else os.environ["PATH"]
        monkeypatch.chdir("here")
        make({"bad.sh": f"#!/bin/sh\ntouch {Path.cwd()}/ran\n"})
        Path("bad.sh").chmod(0o755)
        repository({"a.py": OLD}, "r")
        blob = git("rev-parse", "HEAD:a.py", folder="r")
        Path(f"r/.git/objects/{blob[:2]}/{blob[2:]}").unlink()
        for name, value in {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.promisor": "true",
            "remote.origin.url": f"ext::{Path.cwd()}/bad.sh",
            "protocol.allow": "always",
            "protocol.ext.allow": "always",
        }.items():
            git("config", name, value, folder="r")
        make({"r/a.py": OLD + SYNC})
        run = changed("r", PATH=path)
        assert run.code == 2
        assert f"does not have the object {blob}; clone it without a filter" in run.err
        assert not Path("ran").exists()

    def test_no_git_without_the_option(self) -> None:
        repository({"a.py": SAFE})
        Path(".git/config").write_text("[broken")
        assert check().code == 1


def added() -> tuple[int, list[str], list[str]]:
    """The exit code, and the places and rules of findings in added lines."""
    run = uncuda("check", "--output-format", "json", "--diff-base", "main")
    return run.code, places(run), run.rules


class TestPortable:
    """In a portable project, added names of any accelerator make the check fail; names on unchanged lines do not."""

    def test_only_added_names_of_accelerators_fail(self) -> None:
        old = 'import torch\n\nx = torch.zeros(1, device="npu")\ntorch.cuda.synchronize()\n'
        repository({"pkg/__init__.py": "", "pkg/a.py": old, "uncuda.toml": 'strategy = "portable"\n'})
        assert added() == (0, [], [])
        make({"pkg/a.py": f'{old}y = torch.ones(1, device="musa")\ntorch.npu.empty_cache()\nz = y.cuda()\n'})
        rules = ["hard-coded-accelerator", "hard-coded-accelerator", "cuda-method"]
        assert added() == (1, ["pkg/a.py:5", "pkg/a.py:6", "pkg/a.py:7"], rules)
        asks = "from pkg.device import accelerator_type\n"
        make({"pkg/a.py": f"{old}{asks}y = torch.ones(1, device=accelerator_type())\n"})
        assert added() == (0, [], [])
