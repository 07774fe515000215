"""The CI files in docs/ci are valid according to their services' schemas, and their commands run in a repository that
the test creates.

Features of the services themselves are not tested: the pages of GitHub and GitLab, `uses:` and `include:`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ci.install import hooks, multitool
from cli.command import uncuda
from support.fetching import fetched
from support.imports import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.network]

TEXT = "import torch\n\ntorch.cuda.synchronize()\nimport flash_attn\n"
FIXED = "import torch\nimport torch_npu\n\ntorch.npu.synchronize()\nimport flash_attn\n"
# The files needed to build the package, and those of the pre-commit hooks.
SOURCES = [
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "NOTICE",
    "server",
    "rules",
    "docs/execution.json",
    ".pre-commit-hooks.yaml",
]


@pytest.fixture(scope="module")
def tools() -> Path:
    """The folder in which the programs are installed."""
    return hooks()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with the current state of uncuda."""
    folder = tmp_path_factory.mktemp("source")
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *SOURCES).split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return committed(folder)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git repository of a project that uses uncuda."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TEXT, encoding="utf-8")
    (folder / "uncuda.toml").write_text('target = "npu"\n', encoding="utf-8")
    return committed(folder)


def git(folder: Path, *arguments: str) -> str:
    own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *own, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout


def committed(folder: Path) -> Path:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")
    return folder


def run(command: list[str], folder: Path, env: Mapping[str, str], code: int) -> str:
    """The output of a command that may download packages, and must end with this exit code."""
    done = subprocess.run(command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    if done.returncode != code:
        fetched(" ".join(command[:3]), done.returncode or -1, done.stdout, done.stderr)
    return done.stdout


def table(tools: Path, file: Path) -> Any:
    """The content of a YAML file as Python objects."""
    script = (
        "import json, sys; from ruamel.yaml import YAML; print(json.dumps(YAML(typ='safe').load(open(sys.argv[1]))))"
    )
    return json.loads(subprocess.check_output([tools / "python", "-c", script, str(file)]))


@pytest.mark.parametrize(
    "schema, file", [("vendor.github-actions", "action.yml"), ("vendor.gitlab-ci", "docs/ci/gitlab.yml")]
)
def test_they_are_valid(tools: Path, schema: str, file: str) -> None:
    run([str(tools / "check-jsonschema"), "--builtin-schema", schema, str(ROOT / file)], ROOT, {}, 0)


@pytest.mark.parametrize("document", ["README.md", "README.zh-CN.md"])
def test_what_the_page_shows(tools: Path, tmp_path: Path, document: str) -> None:
    """The file names in the page's examples exist."""
    page = (ROOT / "docs/ci" / document).read_text(encoding="utf-8")
    shown = []
    for block in re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S):
        (tmp_path / "block.yml").write_text(block, encoding="utf-8")
        shown.append(table(tools, tmp_path / "block.yml"))
    github, gitlab, hooks, github_changes, gitlab_changes, _ = shown
    inputs = table(tools, ROOT / "action.yml")["inputs"].keys()
    for steps in (github["steps"], github_changes["steps"]):
        (used,) = (step["with"] for step in steps if step["uses"].startswith("OWNER/uncuda@"))
        assert used.keys() <= inputs
    assert "UNCUDA_ARGUMENTS" in gitlab_changes["variables"]
    job = (ROOT / gitlab["include"][0]["file"]).read_text(encoding="utf-8")
    assert all(name in job for name in gitlab["variables"])
    known = {hook["id"] for hook in table(tools, ROOT / ".pre-commit-hooks.yaml")}
    assert {hook["id"] for hook in hooks["repos"][0]["hooks"]} <= known


def test_hooks(tools: Path, source: Path, project: Path, tmp_path: Path) -> None:
    """pre-commit installs and runs the hooks."""
    run([str(tools / "pre-commit"), "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], ROOT, {}, 0)
    revision = git(source, "rev-parse", "HEAD").strip()
    (project / ".pre-commit-config.yaml").write_text(
        json.dumps(
            {"repos": [{"repo": str(source), "rev": revision, "hooks": [{"id": "uncuda-check"}, {"id": "uncuda-fix"}]}]}
        ),
        encoding="utf-8",
    )
    env = {"PRE_COMMIT_HOME": str(tmp_path / "home"), "PRE_COMMIT_COLOR": "never"}
    said = run([str(tools / "pre-commit"), "run", "--all-files"], project, env, 1)
    assert "train.py:3:1: error cuda-api" in said
    assert "files were modified by this hook" in said
    assert (project / "train.py").read_text(encoding="utf-8") == FIXED
    git(project, "rm", "--quiet", "--cached", "train.py")
    assert said.count("hook id: uncuda-") == 2
    assert run([str(tools / "pre-commit"), "run", "--all-files"], project, env, 0).count("no files to check") == 2


def test_action(tools: Path, source: Path, project: Path, tmp_path: Path) -> None:
    """Run the steps of the action with bash, as GitHub's runner does."""
    inputs = {
        "target": "musa",
        "paths": "train.py\n-odd.py\n",
        "arguments": "--ignore\ncuda-api\n--fail-level=information",
    }
    inputs["sarif"] = str(tmp_path / "a b.sarif")
    (project / "-odd.py").write_text(TEXT, encoding="utf-8")
    evil = project / "uncuda"  # the action must not run a program of the project with this name
    evil.mkdir()
    (evil / "__main__.py").write_text("raise SystemExit('the project ran')\n", encoding="utf-8")
    said = steps(tools, source, project, tmp_path, inputs, 1)
    assert re.search(r"^::notice file=train\.py,line=4,", said, re.M)
    assert re.search(r"^::notice file=-odd\.py,line=4,", said, re.M)
    assert "cuda-api" not in said
    results = json.loads((tmp_path / "a b.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"module-adapted"}
    assert "Moore Threads MUSA" in said
    (project / "bad.py").write_bytes(b"# \xff\n")
    inputs["paths"] = "train.py\nbad.py\n"
    said = steps(tools, source, project, tmp_path, inputs, 2)
    assert re.search(r"^::notice file=train\.py,line=4,", said, re.M), "a file that cannot be read hides no other"
    assert re.search(r"^::error ", said, re.M)


def steps(tools: Path, source: Path, project: Path, tmp_path: Path, given: Mapping[str, str], code: int) -> str:
    """The output of the last step of the action with these inputs."""
    action = table(tools, ROOT / "action.yml")
    values = {f"inputs.{name}": given.get(name, entry["default"]) for name, entry in action["inputs"].items()}
    values["github.action_path"] = str(source)
    path = tmp_path / "path"
    path.touch()
    said = ""
    for number, step in enumerate(action["runs"]["steps"], 1):
        assert "${{" not in step["run"], "an input would be a part of the program"
        env = {name: values[re.sub(r"\$\{\{ (.*) \}\}", r"\1", text)] for name, text in step["env"].items()}
        env |= {"RUNNER_TEMP": str(tmp_path), "GITHUB_PATH": str(path), "PIP_CACHE_DIR": str(tmp_path / "pip")}
        env["PATH"] = os.pathsep.join([*path.read_text(encoding="utf-8").split("\n")[:-1], os.environ["PATH"]])
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        said = run(shell, project, env, code if number == len(action["runs"]["steps"]) else 0)
    return said


def test_gitlab(tools: Path, source: Path, project: Path, tmp_path: Path) -> None:
    """Run the script of the job with sh in a new environment."""
    subprocess.run([tools / "virtualenv", "--quiet", "--python", sys.executable, tmp_path / "venv"], check=True)
    job = table(tools, ROOT / "docs/ci/gitlab.yml")["uncuda"]
    env = {**job["variables"], "PATH": os.pathsep.join([str(tmp_path / "venv/bin"), os.environ["PATH"]])}
    script = "set -e\n" + "\n".join(job["script"])
    assert (
        "UNCUDA_SOURCE"
        in subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True, check=False).stderr
    )
    run(["sh", "-c", script], project, {**env, "UNCUDA_SOURCE": str(source)}, 1)
    found = json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    assert [one["check_name"] for one in found] == ["cuda-api", "module-unsupported"]
    with open(project / "train.py", "a", encoding="utf-8") as file:
        file.write("x.cuda()\n")
    env |= {"UNCUDA_SOURCE": str(source), "UNCUDA_ARGUMENTS": "--diff-base HEAD ."}
    run(["sh", "-c", script], project, env, 1)
    found = json.loads((project / job["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    assert [one["check_name"] for one in found] == ["cuda-method"]


def test_sarif_by_microsofts_validator(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SARIF validator reports no error and no warning, except one for a page that the tool does not have yet."""
    (project / "中 文.py").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(project)
    log, said = tmp_path / "uncuda.sarif", tmp_path / "said.sarif"
    log.write_text(uncuda("check", "--output-format", "sarif").out, encoding="utf-8")
    command = [str(multitool()), "validate", str(log), "--output", str(said)]
    run(command, tmp_path, {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}, 0)
    rules = [result["ruleId"] for result in json.loads(said.read_text(encoding="utf-8-sig"))["runs"][0]["results"]]
    assert set(rules) <= {"SARIF2005"}
