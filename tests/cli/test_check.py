"""Tests of `uncuda check`: options and exit codes."""

from pathlib import Path

import pytest

from cli.command import ASSUMED, CLEAN, MANUAL, REVIEW, SAFE, check, make, uncuda


def rule_of(text: str, **more: str) -> str:
    """The name of the rule that has a finding in a text."""
    run = check("-", stdin=text, **more)
    assert run.rules, run
    return run.rules[-1]


class TestExitCode:
    def test_clean(self) -> None:
        make({"a.py": CLEAN})
        run = uncuda("check", "--target", "npu")
        assert (run.code, run.out, run.err) == (0, "No findings in 1 file.\n", "")

    def test_findings(self) -> None:
        make({"a.py": SAFE})
        assert uncuda("check").code == 1
        assert uncuda("check", "--exit-zero").code == 0

    def test_an_error_is_not_hidden(self) -> None:
        make({"a.py": SAFE})
        assert uncuda("check", "--exit-zero", "a.py", "none.py").code == 2

    @pytest.mark.parametrize(("level", "code"), [("error", 0), ("warning", 1), ("information", 1)])
    def test_fail_level(self, level: str, code: int) -> None:
        rule = rule_of(SAFE)
        make({"a.py": SAFE, "uncuda.toml": f'select = ["{rule}"]\n[severity]\n{rule} = "warning"\n'})
        assert uncuda("check", "--fail-level", level).code == code
        make({"uncuda.toml": f'fail-level = "{level}"\nselect = ["{rule}"]\n[severity]\n{rule} = "warning"\n'})
        assert uncuda("check").code == code


class TestTarget:
    def test_option(self) -> None:
        assert {f["target"] for f in check("-", "--target", "musa", stdin=SAFE).json["findings"]} == {"musa"}

    def test_assumed_and_said_once(self) -> None:
        make({"a.py": SAFE, "b.py": SAFE})
        run = uncuda("check", "--output-format", "json")
        assert {finding["target"] for finding in run.json["findings"]} == {"npu"}
        assert (
            run.err
            == "target: npu (the default: no setting names a target, and the project imports no plugin)\n"
            + ASSUMED["npu"]
        )

    @pytest.mark.parametrize(
        ("statement", "module"), [("import torch_musa", "torch_musa"), ("import torchada", "torchada")]
    )
    def test_what_the_project_imports(self, statement: str, module: str) -> None:
        make({"a.py": 'import torch\nx = torch.device("cuda")\n', "b/c.py": f"{statement}\n"})
        run = uncuda("check")
        assert run.err == f"target: musa (the project imports {module})\n" + ASSUMED["musa"]

    def test_both_imported(self) -> None:
        make({"a.py": "import torch_musa\n" + SAFE, "b.py": "import torch_npu\n"})
        run = uncuda("check")
        assert (run.code, run.out) == (2, "")
        assert run.err == (
            "uncuda: error: the project imports torch_musa and torch_npu; choose with --target musa or --target npu, "
            "or with `target` in uncuda.toml or [tool.uncuda]\n"
        )
        assert check("--target", "npu").code == 1
        make({"uncuda.toml": "target = 'musa'"})
        assert uncuda("check").code == 1

    def test_settings_of_each_folder(self) -> None:
        make({"a/x.py": SAFE, "b/x.py": SAFE, "a/uncuda.toml": "target = 'npu'", "b/uncuda.toml": "target = 'musa'"})
        run = uncuda("check", "--output-format", "json")
        assert {finding["path"]: finding["target"] for finding in run.json["findings"]} == {
            "a/x.py": "npu",
            "b/x.py": "musa",
        }
        assert run.err == ASSUMED["npu"] + ASSUMED["musa"]

    def test_unknown(self) -> None:
        make({"a.py": SAFE})
        run = uncuda("check", "--target", "nup")
        assert run.code == 2
        assert "unknown target `nup` (did you mean 'npu'?)" in run.err


class TestStrategy:
    SHIM = "import torch\nfrom torch_npu.contrib import transfer_to_npu\n\ntorch.cuda.synchronize()\n"

    def test_auto(self) -> None:
        make({"train.py": self.SHIM, "util.py": "import torch\n\ntorch.cuda.synchronize()\n"})
        assert check().rules == []
        assert check("--strategy", "shim").rules == []
        assert len(check("--strategy", "rewrite").rules) >= 2

    def test_one_that_is_for_all_targets(self) -> None:
        run = check("--strategy", "portable", "--target", "npu", "-", stdin=CLEAN)
        assert run.code == 2
        assert "`target` is of one target" in run.err


class TestRules:
    def test_select(self) -> None:
        make({"a.py": SAFE, "b.py": REVIEW, "c.py": MANUAL})
        rules = [rule_of(SAFE), rule_of(REVIEW), rule_of(MANUAL)]
        assert set(check("--select", rules[0]).rules) == {rules[0]}
        assert set(check("--select", f"{rules[0]},{rules[1]}").rules) == set(rules[:2])
        assert set(check("--select", rules[0], "--select", f" {rules[2]} ").rules) == {rules[0], rules[2]}
        assert set(check("--select", rules[0], "--extend-select", rules[1]).rules) == set(rules[:2])

    def test_ignore(self) -> None:
        make({"a.py": SAFE, "b.py": REVIEW})
        everything, rule = set(check().rules), rule_of(SAFE)
        assert set(check("--ignore", rule).rules) == everything - {rule}

    def test_per_file_ignores_and_severity(self) -> None:
        rule = rule_of(SAFE)
        make(
            {
                "a.py": SAFE,
                "tests/a.py": SAFE,
                "pyproject.toml": f'[tool.uncuda.per-file-ignores]\n"tests/**" = ["{rule}"]\n'
                f'[tool.uncuda.severity]\n{rule} = "information"\n',
            }
        )
        found = [finding for finding in check().json["findings"] if finding["rule"] == rule]
        assert [(finding["path"], finding["severity"]) for finding in found] == [("a.py", "information")]

    @pytest.mark.parametrize("option", ["--select", "--ignore", "--extend-select"])
    def test_unknown(self, option: str) -> None:
        rule = rule_of(SAFE)
        run = check(option, rule[:-1], "-", stdin=SAFE)
        assert (run.code, run.out) == (2, "")
        assert f"unknown rule `{rule[:-1]}` (did you mean '{rule}'?)" in run.err

    def test_suppression(self) -> None:
        rule = rule_of(SAFE)
        assert check("-", stdin=SAFE.replace("\n", f"  # uncuda: ignore[{rule}]\n")).rules.count(rule) == 0
        assert rule in check("-", stdin=SAFE.replace('"nccl"', '"nccl", "# uncuda: ignore"')).rules
        assert check("-", stdin="x = 1  # uncuda: ignore[nothing]\n").rules == ["unused-suppression"]
        assert check("-", stdin=SAFE + "# uncuda: file-ignore\n").rules == []


class TestConfiguration:
    def test_given(self) -> None:
        make({"a.py": SAFE, "uncuda.toml": "target = 'npu'", "other/x.toml": "target = 'musa'"})
        run = uncuda("check", "--config", "other/x.toml", "--output-format", "json")
        assert {finding["target"] for finding in run.json["findings"]} == {"musa"}

    def test_given_but_missing(self) -> None:
        make({"a.py": SAFE})
        run = uncuda("check", "--config", "x.toml")
        assert (run.code, run.err) == (2, "uncuda: error: x.toml: no such configuration file\n")

    def test_isolated(self) -> None:
        make({"a.py": CLEAN, "uncuda.toml": "not toml"})
        assert check("--isolated").code == 0

    def test_exclude(self) -> None:
        make({"a.py": SAFE, "gen/b.py": SAFE})
        assert {finding["path"] for finding in check("--exclude", "gen").json["findings"]} == {"a.py"}

    def test_command_line_over_file(self) -> None:
        make({"a.py": SAFE, "uncuda.toml": "target = 'musa'\nlocale = 'zh'\n"})
        assert {finding["target"] for finding in check().json["findings"]} == {"npu"}


class TestStandardInput:
    def test_name(self) -> None:
        run = check("-", "--stdin-filename", "pkg/a.py", stdin=SAFE)
        assert {finding["path"] for finding in run.json["findings"]} == {"pkg/a.py"}
        assert {finding["path"] for finding in check("-", stdin=SAFE).json["findings"]} == {"-"}

    def test_settings_are_those_of_the_name(self) -> None:
        make({"pkg/uncuda.toml": "target = 'musa'"})
        run = uncuda("check", "-", "--stdin-filename", "pkg/a.py", "--output-format", "json", stdin=SAFE)
        assert {finding["target"] for finding in run.json["findings"]} == {"musa"}

    def test_the_text_decides_the_target(self) -> None:
        run = uncuda("check", "-", stdin="import torch_musa\n")
        assert run.err == "target: musa (the project imports torch_musa)\n" + ASSUMED["musa"]

    def test_it_goes_alone(self) -> None:
        assert "cannot be combined" in check("-", "a.py").err
        assert "--stdin-filename goes with `-`" in check("--stdin-filename", "a.py").err

    def test_not_text(self) -> None:
        run = check("-", stdin=b"\xff\n")
        assert run.code == 2
        assert [error["path"] for error in run.json["errors"]] == ["-"]


class TestConstants:
    def test_a_constant_decides_the_target(self) -> None:
        make({"config.py": "import torch\nBACKEND = 'mccl'  # not nccl\n", "a.py": SAFE})
        run = uncuda("check", "--output-format", "json")
        assert run.err.startswith("target: musa (the project contains BACKEND = 'mccl')")
        assert {finding["target"] for finding in run.json["findings"]} == {"musa"}

    def test_a_list_of_backends_does_not(self) -> None:
        make({"config.py": "NCCL_BACKEND = 'nccl'\nMCCL_BACKEND = 'mccl'\n", "a.py": SAFE})
        assert "no setting names a target" in uncuda("check", "--output-format", "json").err

    def test_prose_does_not(self) -> None:
        make({"config.py": 'import torch\nDOC = """cuda\nBACKEND = \'mccl\'\n"""\n', "a.py": SAFE})
        assert "no setting names a target" in uncuda("check", "--output-format", "json").err


class TestSaid:
    def test_quiet(self) -> None:
        make({"a.py": SAFE, "b.py": CLEAN})
        run = uncuda("check", "--quiet")
        assert run.err == ""
        assert "finding" not in run.out.splitlines()[-1]
        assert uncuda("check", "--quiet", "b.py") == (0, "", "")

    def test_verbose(self) -> None:
        make({"a.py": CLEAN, "build/b.py": CLEAN, "c.py": CLEAN, ".gitignore": "c.py"})
        run = uncuda("check", "--verbose", "--target", "npu")
        assert "left out c.py: ignored by .gitignore\n" in run.err
        assert "left out build: left out by default" in run.err

    @pytest.mark.parametrize(
        "line", ["import pynvml", "import numba.cuda", "from numba import cuda", "import transformer_engine as te"]
    )
    def test_a_library_of_cudas_next_to_torch_is_enough(self, line: str) -> None:
        assert check("-", stdin=f"import torch\n{line}\n").code == 1

    @pytest.mark.parametrize(
        ("version", "words"),
        [
            ("9.9", "no table for torch_npu 9.9, which is newer than all tables; the table of 2.14.0 is used"),
            ("1.2", "no table for torch_npu 1.2, which is older than all tables; the table of 2.1.0.post17 is used"),
            ("2.6.0", ""),
            ("2.10", ""),
        ],
    )
    def test_a_version_without_a_table(self, version: str, words: str) -> None:
        make({"a.py": SAFE})
        run = uncuda("check", "--target", "npu", "--target-version", version)
        assert run.err.splitlines() == [words] * bool(words)

    @pytest.mark.parametrize("command", ["check", "fix"])
    def test_statements_that_cannot_be_read_are_an_error(self, command: str) -> None:
        make({"a.py": "import torch\n\ntorch.ones(2).cuda(\n", "b.py": CLEAN})
        run = uncuda(command, "--target", "npu", "--quiet", ".")
        assert run.code == 2
        assert "uncuda: error: a.py: 1 statement could not be read (a.py:3); the others were read" in run.err

    def test_many_statements_that_cannot_be_read(self) -> None:
        text = SAFE + "print torch.cuda, 1\n" * 5
        run = check("-", stdin=text)
        assert (run.code, run.rules) == (2, ["nccl-backend"])
        (error,) = run.json["errors"]
        assert error["message"] == "5 statements could not be read (-:4, -:5, -:6, …); the others were read"

    def test_verbose_statements_that_cannot_be_read(self) -> None:
        run = uncuda("check", "--verbose", "--target", "npu", "-", stdin="print torch.cuda, 1\n")
        assert "-:1:1: this statement could not be read" in run.err

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("env", "option", "chinese"),
        [
            ({}, [], False),
            ({"LC_ALL": "zh_CN.UTF-8"}, [], True),
            ({"LC_ALL": "", "LANG": "zh_TW.UTF-8"}, [], True),
            ({"LC_ALL": "zh_CN.UTF-8"}, ["--locale", "en"], False),
            ({}, ["--locale", "zh"], True),
        ],
    )
    def test_language(self, env: dict[str, str], option: list[str], chinese: bool) -> None:
        run = uncuda("check", "-", *option, stdin=SAFE, PYTHONUTF8="1", **env)
        finding = check("-", *option, stdin=SAFE, PYTHONUTF8="1", **env).json["findings"][0]
        assert ("处问题" in run.out) is chinese
        assert ("目标" in run.err) is chinese
        assert (not finding["message"].isascii()) is chinese

    def test_help_in_chinese(self) -> None:
        run = uncuda("check", "--help", LC_ALL="zh_CN.UTF-8", PYTHONUTF8="1")
        assert "退出码" in run.out

    def test_a_terminal_that_knows_little(self) -> None:
        make({"a.py": SAFE + "# 中文 torch.cuda\n" + 'x = "中文"; dist.init_process_group("nccl")\n'})
        run = uncuda("check", "--locale", "zh", PYTHONIOENCODING="ascii")
        assert run.code == 1
        assert "\\u4e2d\\u6587" in run.out


class TestTorchVersion:
    INTEGER = "import torch\n\nx = torch.ones(2).cuda(0).to(0)\n"

    def test_from_the_requirements(self) -> None:
        make({"a.py": self.INTEGER, "requirements.txt": "torch==2.1.0\n"})
        run = uncuda("check", "--target", "npu", "--verbose", "--output-format", "json")
        assert "PyTorch 2.1.0 (required by " in run.err
        old = run.rules
        assert old == check("--torch-version", "2.1.0").rules
        make({"requirements.txt": "torch\n"})
        assert set(check().rules) < set(old)
        assert check().rules == check("--torch-version", "2.7.1").rules

    def test_a_range_has_the_limits_of_all_its_versions(self) -> None:
        make({"a.py": self.INTEGER, "requirements.txt": "torch>=2.1,<2.7\n"})
        assert check().rules == check("--torch-version", "2.1.0").rules
        make({"requirements.txt": "torch>=2.6,<2.8\n"})
        assert check().rules == check("--torch-version", "2.7.1").rules

    def test_a_lower_bound_alone_says_nothing(self) -> None:
        """A lower bound on torch alone does not determine the plugin's version, so uncuda assumes the default version
        of the plugin. The plugin's default version is made for a version of PyTorch that is above the lower bound."""
        current = "import torch\n\nd = torch.accelerator.current_accelerator()\n"
        make({"a.py": self.INTEGER, "b.py": current, "requirements.txt": "torch>=2.0\n"})
        assert check().rules == check("--torch-version", "2.7.1").rules

    def test_the_plugin_decides_over_the_pytorch_of_a_cuda_build(self) -> None:
        make({"a.py": self.INTEGER, "requirements.txt": "torch==2.1.0+cu118\n"})
        assert check("--target-version", "2.7.1").rules == check("--torch-version", "2.7.1").rules
        make({"requirements-npu.txt": "torch_npu==2.7.1\n"})
        assert check().rules == check("--torch-version", "2.7.1").rules

    def test_not_a_version(self) -> None:
        run = check("--torch-version", "latest", "-", stdin=CLEAN)
        assert run.code == 2
        assert "`torch-version`: `latest` is not a version" in run.err


class TestPins:
    # torch_npu has ExternalStream since 2.7.1.post11
    TEXT = "import torch\n\ns = torch.cuda.ExternalStream(1)\n"

    def test_the_pinned_plugin_decides_what_is_safe(self) -> None:
        make({"a.py": self.TEXT, "requirements.txt": "torch-npu==2.6.0.post5\n"})
        run = uncuda("fix")
        assert run.err.startswith(
            "target: npu (requirements.txt requires torch_npu)\ntorch_npu 2.6.0.post5 (required by requirements.txt)\n"
        )
        assert Path("a.py").read_text() == self.TEXT
        (finding,) = check().json["findings"]
        assert "since torch_npu 2.7.1" in finding["message"]
        make({"requirements.txt": "torch-npu==2.7.1\n"})
        uncuda("fix")
        assert Path("a.py").read_text() == self.TEXT
        make({"requirements.txt": "torch-npu==2.7.1.post11\n"})
        uncuda("fix")
        assert "torch.npu.ExternalStream(1)" in Path("a.py").read_text()

    @pytest.mark.parametrize(
        ("pin", "safe"), [(">=2.6,<2.8", False), (">=2.7,<2.8", False), (">=2.7,<2.9", False), (">=2.13", True)]
    )
    def test_a_range_has_what_all_of_it_has(self, pin: str, safe: bool) -> None:
        make({"a.py": self.TEXT, "pyproject.toml": f'[project]\ndependencies = ["torch_npu{pin}"]\n'})
        run = check()
        assert run.err == f"torch_npu {pin}: only names that all of these versions have (required by pyproject.toml)\n"
        (finding,) = run.json["findings"]
        assert (finding["fixes"][0]["applicability"] == "safe") is safe

    def test_a_name_that_went_away_and_came_back(self) -> None:
        make({"a.py": self.TEXT, "requirements.txt": "torch-npu==2.8.0.post5\n"})
        (finding,) = check().json["findings"]
        assert finding["message"].endswith("(since torch_npu 2.9.0.post9)")  # 2.7.1.post11 has it, too; 2.8.0 does not
        (finding,) = check("--locale", "zh").json["findings"]
        assert "自 2.9.0.post9 起" in finding["message"]

    def test_the_setting_wins(self) -> None:
        make({"a.py": self.TEXT, "requirements.txt": "torch-npu==2.6.0\n"})
        run = check("--target-version", "2.7.1.post11")
        assert (run.err, run.json["findings"][0]["fixes"][0]["applicability"]) == ("", "safe")

    def test_the_plugin_goes_with_torch(self) -> None:
        make({"a.py": self.TEXT, "requirements.txt": "torch==2.6.0\n"})
        note = "torch_npu 2.6.0, which goes with PyTorch 2.6.0 (required by requirements.txt)\n"
        assert check().err == note
        assert check("--quiet").err == ""
        said = check("--torch-version", "2.7.1").err
        assert said == "torch_npu 2.7.1, which goes with PyTorch 2.7.1 (`torch-version`)\n"
        near = check("--torch-version", "2.7.0").err
        assert near == "torch_npu 2.7.1, the known version nearest to PyTorch 2.7.0 (`torch-version`)\n"
        musa = check("--target", "musa").err
        assert musa == "torch_musa 2.6.0, which goes with PyTorch 2.6.0 (required by requirements.txt)\n"

    def test_what_is_imported_decides_before_what_is_pinned(self) -> None:
        make({"a.py": self.TEXT, "b.py": "import torch_musa\n", "requirements.txt": "torch-npu==2.6.0\n"})
        assert uncuda("check").err == "target: musa (the project imports torch_musa)\n" + ASSUMED["musa"]

    def test_two_plugins_say_no_target(self) -> None:
        make({"a.py": self.TEXT, "requirements.txt": "torch-npu==2.6.0\ntorch-musa==2.7.1\n"})
        assert uncuda("check").err == (
            "target: npu (the default: no setting names a target, and the project imports no plugin)\n"
            "torch_npu 2.6.0 (required by requirements.txt)\n"
        )

    def test_each_folder_has_its_own(self) -> None:
        make({".git/HEAD": "", "a/x.py": self.TEXT, "b/x.py": self.TEXT, "b/sub/x.py": self.TEXT, "c/x.py": self.TEXT})
        make({f"{name}/requirements.txt": f"torch-npu=={version}\n" for name, version in
              (("a", "2.6.0"), ("b", "2.7.1.post11"), ("c", "2.13.0"))})  # fmt: skip
        run = check()
        found = {f["path"]: f["fixes"][0]["applicability"] for f in run.json["findings"]}
        assert found == {"a/x.py": "review", "b/x.py": "safe", "b/sub/x.py": "safe", "c/x.py": "safe"}
        first, *others = run.err.splitlines()
        assert first == "torch_npu 2.6.0 (required by a/requirements.txt)"
        assert others == ["other folders use other versions: --verbose names them"]
        assert "torch_npu 2.13.0 (required by c/requirements.txt)" in check("--verbose").err

    def test_folders_that_ask_for_the_same_do_not_differ(self) -> None:
        make({".git/HEAD": "", "a/x.py": self.TEXT, "b/x.py": self.TEXT})
        make({"a/requirements.txt": "torch-npu==2.6.0\n", "b/requirements.txt": "torch-npu==2.6.0\ntorch-musa\n"})
        assert check().err == "torch_npu 2.6.0 (required by a/requirements.txt)\n"

    def test_of_many_folders_the_target_is_said_once(self) -> None:
        make({".git/HEAD": ""})
        for number in range(6, 9):
            make({f"{number}/x.py": self.TEXT, f"{number}/requirements.txt": f"torch-npu>=2.{number},<2.14\n"})
        assert uncuda("check").err == (
            "target: npu (6/requirements.txt requires torch_npu)\n"
            "torch_npu >=2.6,<2.14: only names that all of these versions have (required by 6/requirements.txt)\n"
            "other folders use other versions: --verbose names them\n"
        )

    def test_standard_input(self) -> None:
        make({"uv.lock": '[[package]]\nname = "torch-npu"\nversion = "2.6.0.post5"\n'})
        run = check("-", "--stdin-filename", "a.py", stdin=self.TEXT)
        assert run.err == "torch_npu 2.6.0.post5 (required by uv.lock)\n"
        assert run.json["findings"][0]["fixes"][0]["applicability"] == "review"
