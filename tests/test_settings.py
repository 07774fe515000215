"""Tests of settings: the options, the files, their precedence, and the messages about invalid ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from uncuda.limits import Limits
from uncuda.settings import OPTIONS, Configuration, Settings, SettingsError, Vocabulary, settings_of, values_of
from uncuda.settings.toml import InvalidTomlError, parse_toml

WORDS = Vocabulary(("musa", "npu"), ("amp-c", "channels-last", "jit-script", "nccl-backend"))
ROOT = Path(__file__).parents[1]


def read(folder: Path, text: str, name: str = "uncuda.toml", given: dict[str, object] | None = None) -> Settings:
    (folder / name).write_text(text, encoding="utf-8")
    return Configuration(WORDS, given).settings_for(str(folder))


def complaint(folder: Path, text: str, name: str = "uncuda.toml") -> str:
    with pytest.raises(SettingsError) as caught:
        read(folder, text, name)
    return f"{caught.value.line}: {caught.value.message}"


def test_every_option_is_a_field_with_its_default() -> None:
    settings = Settings()
    assert {option.field: option.default for option in OPTIONS} == vars(settings)


def test_every_option_is_described_twice() -> None:
    for option in OPTIONS:
        assert option.en.isascii()
        assert not option.zh.isascii()
        assert option.name == option.name.lower().replace("_", "-")


def test_every_option_is_read(tmp_path: Path) -> None:
    settings = read(
        tmp_path,
        """
        target = "musa"
        target-version = "2.7.1.post3"
        torch-version = "2.7"
        hardware = "A2"
        strategy = "shim"
        select = ["amp-c"]
        ignore = ["jit-script"]
        extend-select = ["nccl-backend"]
        exclude = ["/data", "*_pb2.py", "!build"]
        locale = "zh"
        fail-level = "error"
        receivers = true
        max-bytes = 1
        max-statements = 2
        max-comparisons = 3
        max-depth = 150
        [per-file-ignores]
        "tests/**" = ["amp-c"]
        [severity]
        amp-c = "information"
        """,
    )
    assert settings.limits == Limits(1, 2, 3, 150)
    root = tmp_path.as_posix()
    assert settings == Settings(
        target="musa",
        target_version="2.7.1.post3",
        torch_version="2.7",
        hardware="A2",
        strategy="shim",
        select=("amp-c",),
        ignore=("jit-script",),
        extend_select=("nccl-backend",),
        per_file_ignores={f"{root}/tests/**": ("amp-c",)},
        severity={"amp-c": "information"},
        exclude=(f"{root}/data", f"{root}/**/*_pb2.py", f"!{root}/**/build"),
        locale="zh",
        fail_level="error",
        receivers=True,
        max_bytes=1,
        max_statements=2,
        max_comparisons=3,
        max_depth=150,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\ntarget = "nup"', "2: unknown target `nup` (did you mean 'npu'?)"),
        ('target = "x"', "1: unknown target `x`; choose from musa, npu"),
        ('tarjet = "npu"', "1: unknown key `tarjet` (did you mean 'target'?)"),
        ('fail_level = "error"', "1: unknown key `fail_level`; write `fail-level`"),
        ("torch-version = 2.5", '1: `torch-version` is a text, not `2.5`; write torch-version = "2.5"'),
        ('target-version = "new"', '1: `target-version`: `new` is not a version; write for example "2.7.1"'),
        ('strategy = "portabel"', "1: unknown strategy `portabel` (did you mean 'portable'?)"),
        (
            'strategy = "portable"\ntarget = "npu"',
            '2: `target` is of one target, `strategy = "portable"` is for all: leave one out',
        ),
        (
            'target-version = "2.7.1"\nstrategy = "portable"',
            '1: `target-version` is of one target, `strategy = "portable"` is for all: leave one out',
        ),
        ('portable-targets = ["nvidia"]', "1: `portable-targets`: unknown target `nvidia`; choose from musa, npu"),
        (
            'portable-helper = "my-package"',
            '1: `portable-helper`: `my-package` is not a module; write for example "mypack',
        ),
        ('portable-style = "device"', "1: unknown portable-style `device`"),
        ('portable-names = "device"', "1: `portable-names` is a table, not `device`"),
        ("portable-names = { device_typ = 'f()' }", "1: `portable-names`: unknown name `device_typ` (did you mean"),
        (
            "portable-names = { device_type = 'a + b' }",
            "1: `portable-names`: `device_type` is a name or a call of Python",
        ),
        ("portable-names = { device_type = 1 }", "1: `portable-names`: `device_type` is a text, not `1`"),
        ('select = ["amp-c",\n"jit-scrpt"]', "2: `select`: unknown rule `jit-scrpt` (did you mean 'jit-script'?)"),
        ('select = "amp-c"', "1: `select` is a list of texts, not `amp-c`"),
        ("exclude = [1]", "1: `exclude` is a list of texts, not a list"),
        ('receivers = "yes"', "1: `receivers` is true or false, not `yes`"),
        ('locale = "de"', "1: unknown locale `de`; choose from auto, en, zh"),
        ('[severity]\namp-c = "warn"', "2: `severity`: unknown severity `warn` (did you mean 'warning'?)"),
        ('[severity]\nx = "error"', "2: `severity`: unknown rule `x`; choose from amp-c, channels-last, jit-script,"),
        ("severity = 1", "1: `severity` is a table, not `1`"),
        ('[per-file-ignores]\n"a/*" = "amp-c"', "2: `a/*` is a list of texts, not `amp-c`"),
        (
            '[per-file-ignores]\n"a/*" = ["amp-d"]',
            "2: `per-file-ignores`: unknown rule `amp-d` (did you mean 'amp-c'?)",
        ),
        ("target = ", "1: not valid TOML: Invalid value"),
        ("extend = 1", "1: `extend` is the path of another configuration file"),
        ('\nextend = "nothing.toml"', "2: `extend`: there is no file "),
        ('\nextend = "~nobodyx/z"', "2: `extend`: there is no home folder for ~nobodyx/z"),
        ("\nexclude = ['a', '\\']", "2: `exclude`: invalid pattern `\\`: nothing follows the backslash"),
        ("exclude = [\n'[z-a]']", "2: `exclude`: invalid pattern `[z-a]`: bad character range z-a"),
        ("[per-file-ignores]\n'[z-a]' = []", "2: `per-file-ignores`: invalid pattern `[z-a]`: bad character range z-a"),
        (f"exclude = {['x'] * 6000}", "1: `exclude`: more than 5,000 patterns"),
        ("\ntarget = " + "[" * 100_000, "2: not valid TOML: nested too deeply"),
        ("\ntarget = " + "{a=" * 100_000, "2: not valid TOML: nested too deeply"),
        ("\n" + "a." * 100_000 + "a = 1", "2: not valid TOML: a key of more than 16 parts"),
        ("\n[" + '"a".' * 100_000 + "a]", "2: not valid TOML: a key of more than 16 parts"),
        ("target = 0x" + "f" * 100_000, "1: `target` is a text, not a number"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    assert complaint(tmp_path, text).startswith(message)


def test_an_error_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=r"^pyproject\.toml:4: unknown key `targets`"):
        read(tmp_path, '[project]\nname = "targets"\n[tool.uncuda]\ntargets = "npu"\n', "pyproject.toml")


def test_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "uncuda.toml").write_bytes(b'target = "\xff"')
    with pytest.raises(SettingsError, match="is not UTF-8"):
        Configuration(WORDS).settings_for(str(tmp_path))


class TestWhichFile:
    def test_the_closest_wins(self, tmp_path: Path) -> None:
        inner = tmp_path / "a" / "b"
        inner.mkdir(parents=True)
        (tmp_path / "uncuda.toml").write_text('target = "musa"\nlocale = "zh"')
        (tmp_path / "a" / "pyproject.toml").write_text('[tool.uncuda]\ntarget = "npu"')
        configuration = Configuration(WORDS)
        assert configuration.settings_for(str(inner)) == Settings(target="npu")
        assert configuration.file_for(str(inner)) == str(tmp_path / "a" / "pyproject.toml")
        assert configuration.settings_for(str(tmp_path)).target == "musa"

    def test_a_folder_without_a_file_shares_the_settings_of_the_one_above(self, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        configuration = Configuration(WORDS)
        assert configuration.settings_for(str(tmp_path)) is configuration.settings_for(str(tmp_path / "sub"))

    def test_uncuda_toml_before_pyproject(self, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").write_text('[tool.uncuda]\ntarget = "npu"')
        assert read(tmp_path, 'target = "musa"').target == "musa"

    @pytest.mark.parametrize("text", ['[project]\nname = "x"', '[project]\nname = "uncuda"', "not toml"])
    def test_a_pyproject_that_says_nothing_does_not_count(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "uncuda.toml").write_text('target = "musa"')
        inner = tmp_path / "inner"
        inner.mkdir()
        assert read(inner, text, "pyproject.toml").target == "musa"

    def test_tool_uncuda_must_be_a_table(self, tmp_path: Path) -> None:
        assert complaint(tmp_path, "[tool]\nuncuda = 1", "pyproject.toml") == "2: [tool.uncuda] is a table"

    def test_isolated_reads_none(self, tmp_path: Path) -> None:
        (tmp_path / "uncuda.toml").write_text("not toml")
        assert Configuration(WORDS, isolated=True).settings_for(str(tmp_path)) == Settings()

    def test_a_given_file_holds_everywhere(self, tmp_path: Path) -> None:
        given = tmp_path / "given.toml"
        given.write_text('target = "musa"')
        (tmp_path / "uncuda.toml").write_text('target = "npu"')
        assert Configuration(WORDS, file=str(given)).settings_for(str(tmp_path)).target == "musa"

    def test_a_given_file_must_be_there(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="no such configuration file"):
            Configuration(WORDS, file=str(tmp_path / "none.toml"))

    def test_a_given_pyproject_must_say_something(self, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").write_text("[project]")
        with pytest.raises(SettingsError, match=r"has no \[tool\.uncuda\] table"):
            Configuration(WORDS, file=str(tmp_path / "pyproject.toml"))

    def test_a_broken_file_is_an_error_each_time(self, tmp_path: Path) -> None:
        (tmp_path / "uncuda.toml").write_text("x")
        configuration = Configuration(WORDS)
        for _ in range(2):
            with pytest.raises(SettingsError):
                configuration.settings_for(str(tmp_path))


class TestExtend:
    def test_the_file_that_extends_wins(self, tmp_path: Path) -> None:
        (tmp_path / "base").mkdir()
        (tmp_path / "base" / "base.toml").write_text(
            'target = "musa"\nlocale = "zh"\nexclude = ["gen"]\n[severity]\namp-c = "error"\njit-script = "error"'
        )
        settings = read(tmp_path, 'extend = "base/base.toml"\ntarget = "npu"\n[severity]\njit-script = "warning"')
        assert (settings.target, settings.locale) == ("npu", "zh")
        assert settings.severity == {"amp-c": "error", "jit-script": "warning"}
        assert settings.exclude == (f"{(tmp_path / 'base').as_posix()}/**/gen",)

    def test_a_pyproject_can_be_extended(self, tmp_path: Path) -> None:
        (tmp_path / "pyproject.toml").write_text('[tool.uncuda]\ntarget = "musa"')
        assert read(tmp_path, 'extend = "pyproject.toml"').target == "musa"

    def test_a_circle_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text('extend = "uncuda.toml"')
        assert "leads back to itself" in complaint(tmp_path, 'extend = "a.toml"')

    def test_an_error_in_the_base_names_the_base(self, tmp_path: Path) -> None:
        (tmp_path / "base.toml").write_text("\nx = 1")
        with pytest.raises(SettingsError, match=r"base\.toml:2: unknown key `x`"):
            read(tmp_path, 'extend = "base.toml"')


class TestLayersOfRules:
    """For each rule, the setting with the highest precedence counts."""

    @pytest.mark.parametrize(
        ("file", "command_line", "rules"),
        [
            ("", {}, ["amp-c", "channels-last", "jit-script", "nccl-backend"]),
            ('ignore = ["amp-c"]', {}, ["channels-last", "jit-script", "nccl-backend"]),
            ('ignore = ["amp-c"]', {"ignore": ["jit-script"]}, ["channels-last", "nccl-backend"]),
            ('ignore = ["amp-c"]', {"select": ["amp-c"]}, ["amp-c"]),
            (
                'ignore = ["amp-c"]',
                {"extend-select": ["amp-c"]},
                ["amp-c", "channels-last", "jit-script", "nccl-backend"],
            ),
            ('select = ["amp-c"]', {"extend-select": ["jit-script"]}, ["amp-c", "jit-script"]),
            ('select = ["amp-c", "jit-script"]', {"ignore": ["amp-c"]}, ["jit-script"]),
            ('extend-select = ["amp-c"]', {"ignore": ["amp-c"]}, ["channels-last", "jit-script", "nccl-backend"]),
        ],
    )
    def test_command_line_over_file(
        self, tmp_path: Path, file: str, command_line: dict[str, object], rules: list[str]
    ) -> None:
        settings = read(tmp_path, file, given=values_of(command_line, str(tmp_path), WORDS))
        assert [rule for rule in sorted(WORDS.rules) if settings.selects(rule)] == rules

    def test_a_rule_that_is_off_by_default(self) -> None:
        assert not Settings().selects("amp-c", default=False)
        assert Settings(extend_select=("amp-c",)).selects("amp-c", default=False)
        assert Settings(select=("amp-c",)).selects("amp-c", default=False)


def test_what_an_editor_says_is_under_the_file(tmp_path: Path) -> None:
    (tmp_path / "uncuda.toml").write_text("target = 'musa'\nseverity = {amp-c = 'error'}")
    table = {"target": "npu", "hardware": "A2", "severity": {"amp-c": "warning", "jit-script": "error"}}
    under = values_of(table, str(tmp_path), WORDS)
    settings = Configuration(WORDS, {"strategy": "shim"}, under=under).settings_for(str(tmp_path))
    assert (settings.target, settings.hardware, settings.strategy) == ("musa", "A2", "shim")
    assert settings.severity == {"amp-c": "error", "jit-script": "error"}
    assert Configuration(WORDS, under=under).settings_for(str(tmp_path.parent)).target == "npu"


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("tests", "tests/test_a.py", True),
        ("tests", "deep/tests/test_a.py", True),
        ("/tests", "deep/tests/test_a.py", False),
        ("tests/*.py", "tests/test_a.py", True),
        ("tests/*.py", "tests/deep/test_a.py", False),
        ("tests/**/*.py", "tests/deep/test_a.py", True),
        ("*_test.py", "deep/a_test.py", True),
        ("[ab].py", "a.py", True),
    ],
)
def test_per_file_ignores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, path: str, matches: bool
) -> None:
    folder = tmp_path / "a [1] #b"  # these characters have a meaning in patterns
    folder.mkdir()
    settings = settings_of({"per-file-ignores": {pattern: ["amp-c"]}}, str(folder), WORDS)
    assert settings.ignored_in(str(folder / path)) == ({"amp-c"} if matches else set())
    assert not settings.ignored_in(str(tmp_path / path))
    monkeypatch.chdir(folder)
    assert settings.ignored_in(path) == ({"amp-c"} if matches else set())


def test_without_a_file_no_toml_reader_is_imported(tmp_path: Path) -> None:
    code = (
        "import sys; from uncuda.settings import loading; from uncuda.settings import Configuration, Vocabulary\n"
        "before = set(sys.modules)\n"
        f"Configuration(Vocabulary((), ())).settings_for({str(tmp_path)!r})\n"
        "assert not {'tomllib', 'tomli', 'pathspec'} & (set(sys.modules) - before)"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(ROOT / "server")}, cwd=tmp_path
    )


def test_a_number_of_thousands_of_digits(tmp_path: Path) -> None:
    digits = getattr(sys, "get_int_max_str_digits", lambda: 0)()
    if not digits:
        pytest.skip("this Python reads any number")
    assert complaint(tmp_path, "\ntarget = " + "9" * (digits + 1)).startswith("2: not valid TOML: Exceeds the limit")


def test_what_is_not_utf_8_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "uncuda.toml").write_bytes(b"\n# \xe9\n")
    with pytest.raises(SettingsError, match=r"uncuda\.toml:2: is not UTF-8: byte 0xe9"):
        Configuration(WORDS).settings_for(str(tmp_path))


@pytest.mark.slow
def test_a_long_chain_of_files(tmp_path: Path) -> None:
    for number in range(2000):
        (tmp_path / f"{number}.toml").write_text(f'extend = "{number + 1}.toml"')
    with pytest.raises(SettingsError, match=r"leads from .*uncuda.toml through more than 32 files"):
        read(tmp_path, 'extend = "0.toml"')
    (tmp_path / "20.toml").write_text('target = "musa"')
    assert read(tmp_path, 'extend = "0.toml"').target == "musa"


def test_a_folder_deeper_than_calls_may_nest(tmp_path: Path) -> None:
    (tmp_path / "uncuda.toml").write_text('target = "musa"')
    assert Configuration(WORDS).settings_for(str(tmp_path) + "/a" * 1500).target == "musa"


@pytest.mark.parametrize("value", ["0", "-1", "151", "1.5", "true", '"9"', "[]"])
def test_an_integer_that_does_not_fit_is_named_with_its_bounds(tmp_path: Path, value: str) -> None:
    said = complaint(tmp_path, f"max-depth = {value}\n")
    assert said.startswith("1: `max-depth` is a whole number from 1 to 150, not ")


@pytest.mark.parametrize("said", ["# {0}", 'd = """\n{0} """', "d = '''\n{0}'''", 'd = " {0}"', "d = ' {0}'"])
def test_what_is_said_in_toml_is_no_key(said: str) -> None:
    dotted = ".".join("abcdefghijklmnopqrstuvwxyz")
    parse_toml(said.format(dotted))
    with pytest.raises(InvalidTomlError, match="a key of more than 16 parts") as caught:
        parse_toml(f"{said.format(dotted)}\n{dotted} = 1\n")
    assert caught.value.line == said.count("\n") + 2
