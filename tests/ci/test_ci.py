"""Tests of the configuration files for CI: they are valid by their schemas, and their commands, and all code blocks of
the page about CI, run in a repository that the tests create.

Features of the CI services themselves are not tested: the pages of GitHub and GitLab, `uses:` and `include:`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template
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
    """Return the folder in which the tools are installed."""
    return hooks()


@pytest.fixture(scope="module")
def shown(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return the code blocks of the page about CI, which are the same in both languages."""
    file = tmp_path_factory.mktemp("page") / "block.yml"
    english, chinese = (blocks(name) for name in ("README.md", "README.zh-CN.md"))
    assert english == chinese
    tables = []
    for block in english:
        file.write_text(block, encoding="utf-8")
        tables.append(table(tools, file))
    assert len(tables) == 6
    return tables


def blocks(document: str) -> list[str]:
    """The blocks of code of a page."""
    page = (ROOT / "docs/ci" / document).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", page, re.M | re.S)
    assert {language for language, _ in found} == {"yaml"}
    return [block for _, block in found]


@pytest.fixture(scope="module")
def installed(tools: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the first step of the action has installed uncuda."""
    folder = tmp_path_factory.mktemp("runner")
    (folder / "path").touch()
    first = table(tools, ROOT / "action.yml")["runs"]["steps"][0]
    bash(first["run"], folder, {"UNCUDA_SOURCE": str(source), **runner(folder)}, 0)
    return folder


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


def test_the_names_of_the_page(tools: Path, shown: list[Any]) -> None:
    """The files and names in the examples on the page about CI exist in the configuration files."""
    _, gitlab, hooks, _, gitlab_changes, _ = shown
    job = (ROOT / gitlab["include"][0]["file"]).read_text(encoding="utf-8")
    assert all(name in job for name in [*gitlab["variables"], "UNCUDA_ARGUMENTS"])
    assert "UNCUDA_ARGUMENTS" in gitlab_changes["variables"]
    known = {hook["id"] for hook in table(tools, ROOT / ".pre-commit-hooks.yaml")}
    assert {hook["id"] for hook in hooks["repos"][0]["hooks"]} <= known


def test_hooks(tools: Path, shown: list[Any], source: Path, project: Path, tmp_path: Path) -> None:
    """pre-commit runs the hook that the page on CI configures, and then the two hooks `uncuda-check` and
    `uncuda-fix`."""
    run([str(tools / "pre-commit"), "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], ROOT, {}, 0)
    revision = git(source, "rev-parse", "HEAD").strip()
    repository = {"repo": str(source), "rev": revision}
    env = {"PRE_COMMIT_HOME": str(tmp_path / "home"), "PRE_COMMIT_COLOR": "never"}
    config = project / ".pre-commit-config.yaml"
    (one,) = shown[2]["repos"]
    config.write_text(json.dumps({"repos": [{**one, **repository}]}), encoding="utf-8")
    (project / "uncuda.toml").unlink()
    said = run([str(tools / "pre-commit"), "run", "--all-files"], project, env, 1)
    assert "train.py:3:1: error cuda-api: `torch.cuda.synchronize` is CUDA's; Ascend NPU" in said
    git(project, "checkout", "uncuda.toml")
    both = [{"id": "uncuda-check"}, {"id": "uncuda-fix"}]
    config.write_text(json.dumps({"repos": [{**repository, "hooks": both}]}), encoding="utf-8")
    said = run([str(tools / "pre-commit"), "run", "--all-files"], project, env, 1)
    assert "train.py:3:1: error cuda-api" in said
    assert "files were modified by this hook" in said
    assert (project / "train.py").read_text(encoding="utf-8") == FIXED
    git(project, "rm", "--quiet", "--cached", "train.py")
    assert said.count("hook id: uncuda-") == 2
    assert run([str(tools / "pre-commit"), "run", "--all-files"], project, env, 0).count("no files to check") == 2


def test_action(tools: Path, installed: Path, project: Path, tmp_path: Path) -> None:
    """The steps of the action, run by bash as GitHub's runner does."""
    inputs = {
        "target": "musa",
        "paths": "train.py\n-odd.py\n",
        "arguments": "--ignore\ncuda-api\n--fail-level=information",
    }
    inputs["sarif"] = str(tmp_path / "a b.sarif")
    (project / "-odd.py").write_text(TEXT, encoding="utf-8")
    evil = project / "uncuda"  # the action must not run a program that has this name and belongs to the project
    evil.mkdir()
    (evil / "__main__.py").write_text("raise SystemExit('the project ran')\n", encoding="utf-8")
    said = action(tools, installed, project, inputs, 1)
    assert re.search(r"^::warning file=train\.py,line=4,", said, re.M)
    assert re.search(r"^::warning file=-odd\.py,line=4,", said, re.M)
    assert "cuda-api" not in said
    results = json.loads((tmp_path / "a b.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert {result["ruleId"] for result in results} == {"module-replaced"}
    assert "Moore Threads MUSA" in said
    (project / "bad.py").write_bytes(b"# \xff\n")
    inputs["paths"] = "train.py\nbad.py\n"
    said = action(tools, installed, project, inputs, 2)
    assert re.search(r"^::warning file=train\.py,line=4,", said, re.M), "a file that cannot be read hides no other"
    assert re.search(r"^::error ", said, re.M)


def test_the_actions_of_the_page(tools: Path, shown: list[Any], installed: Path, project: Path) -> None:
    """The first action in the page's example reports all findings and writes the file that the next step uploads; the
    second one reports only what a branch changed."""
    (project / "uncuda.toml").unlink()
    github, _, _, changes, _, _ = shown
    (inputs,), (changed,) = (
        [step["with"] for step in steps if step["uses"].startswith("OWNER/uncuda@")]
        for steps in (github["steps"], changes["steps"])
    )
    said = action(tools, installed, project, inputs, 0)
    assert re.search(r"^::error file=train\.py,line=3,", said, re.M)
    (uploaded,) = (step["with"]["sarif_file"] for step in github["steps"] if "upload-sarif" in step["uses"])
    found = json.loads((project / uploaded).read_text(encoding="utf-8"))["runs"][0]["results"]
    assert {result["ruleId"] for result in found} == {"cuda-api", "module-unsupported"}
    branch = grown(project)
    said = action(tools, installed, branch, changed, 1)
    assert re.findall(r"^::error file=train\.py,line=(\d+),", said, re.M) == ["5"]


def test_the_commands_of_the_page(shown: list[Any], installed: Path, project: Path) -> None:
    """Every command in the page's last code block writes a file of the format that the name of the file promises."""
    (project / "uncuda.toml").unlink()
    said = [bash(step["run"], project, runner(installed), 1) for step in shown[5]]
    assert re.search(r"^::error file=train\.py,line=3,", said[0], re.M)
    assert said[1:] == ["", ""]
    sarif = json.loads((project / "uncuda.sarif").read_text(encoding="utf-8"))
    assert [one["ruleId"] for one in sarif["runs"][0]["results"]] == ["cuda-api", "module-unsupported"]
    gitlab = json.loads((project / "gl-code-quality.json").read_text(encoding="utf-8"))
    assert [one["check_name"] for one in gitlab] == ["cuda-api", "module-unsupported"]


def grown(project: Path) -> Path:
    """A clone of a repository, with a branch that adds a line with a finding."""
    folder = project.with_name("clone")
    git(project, "clone", "--quiet", str(project), str(folder))
    git(folder, "checkout", "--quiet", "-b", "topic")
    with open(folder / "train.py", "a", encoding="utf-8") as file:
        file.write("x.cuda()\n")
    git(folder, "commit", "--quiet", "--all", "--message", "more")
    return folder


def action(tools: Path, installed: Path, project: Path, given: Mapping[str, str], code: int) -> str:
    """Run the last step of the action with these inputs and return its output."""
    file = table(tools, ROOT / "action.yml")
    assert given.keys() <= file["inputs"].keys()
    values = {f"inputs.{name}": given.get(name, entry["default"]) for name, entry in file["inputs"].items()}
    values["github.action_path"] = ""
    for step in file["runs"]["steps"]:
        assert "${{" not in step["run"], "an input would be a part of the program"
    last = file["runs"]["steps"][-1]
    env = {name: values[re.sub(r"\$\{\{ (.*) \}\}", r"\1", text)] for name, text in last["env"].items()}
    return bash(last["run"], project, {**env, **runner(installed)}, code)


def runner(folder: Path) -> dict[str, str]:
    """Return the environment that GitHub's runner sets for each step."""
    added = (folder / "path").read_text(encoding="utf-8").split("\n")[:-1]
    env = {"RUNNER_TEMP": str(folder), "GITHUB_PATH": str(folder / "path"), "PIP_CACHE_DIR": str(folder / "pip")}
    return {**env, "PATH": os.pathsep.join([*added, os.environ["PATH"]])}


def bash(script: str, folder: Path, env: Mapping[str, str], code: int) -> str:
    """Run a script as GitHub's runner runs a step, and return its output."""
    return run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], folder, env, code)


def test_gitlab(tools: Path, shown: list[Any], source: Path, project: Path, tmp_path: Path) -> None:
    """The job's script, run by sh in a separate environment, works with and without the variables that the page
    shows."""
    subprocess.run([tools / "virtualenv", "--quiet", "--python", sys.executable, tmp_path / "venv"], check=True)
    job = table(tools, ROOT / "docs/ci/gitlab.yml")["uncuda"]
    env = {**job["variables"], "PATH": os.pathsep.join([str(tmp_path / "venv/bin"), os.environ["PATH"]])}
    script = "set -e\n" + "\n".join(job["script"])
    assert (
        "UNCUDA_SOURCE"
        in subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True, check=False).stderr
    )
    _, whole, _, _, changes, _ = shown
    (project / "uncuda.toml").unlink()
    (project / "src").mkdir()
    shutil.copy(project / "train.py", project / "src")
    branch = grown(project)
    base = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": git(branch, "rev-parse", "HEAD~").strip()}
    src = [("src/train.py", "cuda-api"), ("src/train.py", "module-unsupported")]
    for variables, folder, wanted in ((whole, project, src), (changes, branch, [("train.py", "cuda-method")])):
        # GitLab expands variables inside the values of other variables; in this test, `Template` does so
        given = {name: Template(str(text)).substitute(base) for name, text in variables["variables"].items()}
        run(["sh", "-c", script], folder, {**env, **given, "UNCUDA_SOURCE": str(source)}, 1)
        found = json.loads((folder / job["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
        assert [(one["location"]["path"], one["check_name"]) for one in found] == wanted


def test_sarif_by_microsofts_validator(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SARIF validator reports no error and no warning, except one about a web page of uncuda that does not exist
    yet."""
    (project / "中 文.py").write_text(TEXT, encoding="utf-8")
    monkeypatch.chdir(project)
    log, said = tmp_path / "uncuda.sarif", tmp_path / "said.sarif"
    log.write_text(uncuda("check", "--output-format", "sarif").out, encoding="utf-8")
    command = [str(multitool()), "validate", str(log), "--output", str(said)]
    run(command, tmp_path, {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}, 0)
    rules = [result["ruleId"] for result in json.loads(said.read_text(encoding="utf-8-sig"))["runs"][0]["results"]]
    assert set(rules) <= {"SARIF2005"}
