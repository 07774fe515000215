"""Writes the types of api-surface.txt as Java sources into a folder; the PyCharm plugin is compiled against them.

`platform_types.py FOLDER`. The body of a generated method calls com.intellij.Stub, where tests define what the method
does. An exception is the generated method `getInstance`, which returns a service, as in the IDE.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scripts.compare_api import SURFACE, types

_KINDS = {"": "interface", "@": "@interface", "e": "enum", "a": "abstract class", "f": "final class", "c": "class"}
_PRIMITIVES = {"V": "void", "Z": "boolean", "I": "int"}
# The supertypes that are classes, not interfaces, and that are not in api-surface.txt; JetBrains' API dumps do not tell
# classes from interfaces.
_CLASSES = ("java.lang.Exception", "javax.swing.JComponent", "javax.swing.JTree")
# The values of constants whose type is not in api-surface.txt; any other constant is a new object of its type.
_VALUES = {
    "com.intellij.openapi.util.Key": 'com.intellij.openapi.util.Key.create("")',
    "javax.swing.Icon": "new javax.swing.ImageIcon()",
}
_HEAD = re.compile(r"(?:F?([@eafc]?):)?(.+\.[\w$]+)(<.+>)?")
_MEMBER = re.compile(r"(?:([psfa]+):)?(<(?!init)[^(]+>)?([\w<>]+)(?:\((.*)\))?:(.+?)( throws .+)?")


@dataclass(frozen=True, slots=True)
class Member:
    """A field, a method or a constructor; the parameters of a field are None."""

    flags: str
    variables: str
    name: str
    parameters: tuple[str, ...] | None
    result: str
    throws: str


@dataclass(frozen=True, slots=True)
class Type:
    """A type; `kind` is its Java keyword, `path` its name in class files."""

    kind: str
    path: str
    variables: str
    supertypes: tuple[str, ...]
    members: tuple[Member, ...]

    @property
    def name(self) -> str:
        """The type's own name, without its package and its enclosing types."""
        return re.split(r"[.$]", self.path)[-1]

    @property
    def constructors(self) -> tuple[Member, ...]:
        """The constructors that api-surface.txt lists for the type."""
        return tuple(member for member in self.members if member.name == "<init>")


class Sources:
    """The Java sources of the types in a surface file, such as api-surface.txt."""

    def __init__(self, surface: str) -> None:
        read = [_read(head, lines) for head, lines in types(surface.splitlines()).items()]
        self._types = {one.path: one for one in read}

    def files(self) -> dict[str, str]:
        """Return the text of each file, by its path."""
        return {
            f"{one.path.replace('.', '/')}.java": f"package {one.path.rpartition('.')[0]};\n\n{self._type(one)}"
            for one in self._types.values()
            if "$" not in one.path
        }

    def _type(self, one: Type) -> str:
        """Return the declaration of a type, which contains those of its nested types."""
        parent = next((name for name in one.supertypes if self._is_class(name)), "") if "class" in one.kind else ""
        others = ", ".join(_java(name) for name in one.supertypes if name != parent)
        head = f"public {'static ' * ('$' in one.path)}{one.kind} {one.name}{one.variables}"
        head += f" extends {_java(parent)}" * bool(parent)
        head += f" {'extends' if one.kind == 'interface' else 'implements'} {others}" * bool(others)
        if one.kind == "enum":
            return f"{head} {{ {', '.join(member.name for member in one.members)} }}"
        body = [self._member(member, one, parent) for member in one.members]
        if "class" in one.kind and not one.constructors:
            access = "public " * ("abstract" in one.kind)  # tests extend abstract classes
            body.append(f"{access}{one.name}() {{ {self._super(parent, ())} }}")
        nested = (other for other in self._types.values() if other.path.rpartition("$")[0] == one.path)
        return "\n".join([f"{head} {{", *body, *map(self._type, nested), "}\n"])

    def _is_class(self, name: str) -> bool:
        return name in _CLASSES or (name in self._types and "class" in self._types[name].kind)

    def _super(self, parent: str, given: tuple[str, ...]) -> str:
        """Return the call of the superclass's constructor. If the superclass is generated, too, its constructor ignores
        its arguments, so null is passed for each."""
        if parent in self._types:
            first = next(iter(self._types[parent].constructors), None)
            given = tuple(f"({name}) null" for name in (first and first.parameters) or ())
        return f"super({', '.join(given)});"

    def _member(self, member: Member, one: Type, parent: str) -> str:
        access = "protected" if "p" in member.flags else "public"
        if member.parameters is None:
            name = member.result.partition("<")[0]
            return f"{access} static final {member.result} {member.name} = {_VALUES.get(name, f'new {name}()')};"
        declared = ", ".join(f"{name} a{i}" for i, name in enumerate(member.parameters))
        given = tuple(f"a{i}" for i in range(len(member.parameters)))
        if member.name == "<init>":
            body = f"{self._super(parent, given if parent else ())} {_call('this', f'{one.name}.new', given)}"
            return f"{access} {one.name}({declared}){member.throws} {{ {body} }}"
        head = f"{member.variables} {member.result} {member.name}({declared}){member.throws}".strip()
        if "a" in member.flags:
            return f"{access} abstract {head};"
        words = f"{'static ' * ('s' in member.flags)}{'final ' * ('f' in member.flags)}"
        words = words or "default " * (one.kind == "interface")
        body = _call("null" if "s" in member.flags else "this", f"{one.name}.{member.name}", given)
        if member.name == "getInstance":
            holder = given[0] if given else "com.intellij.openapi.application.ApplicationManager.getApplication()"
            body = f"{holder}.getService({member.result}.class);"
        return f"{access} {words}{head} {{ {'return ' * (member.result != 'void')}{body} }}"


def _read(head: str, lines: list[str]) -> Type:
    kind, path, variables = _HEAD.fullmatch(head).groups()  # type: ignore[union-attr]
    found = [(line, _MEMBER.fullmatch(line)) for line in lines]
    supertypes = tuple(line for line, match in found if not match)
    return Type(
        _KINDS[kind or ""], path, variables or "", supertypes, tuple(_member(match) for _, match in found if match)
    )


def _member(match: re.Match[str]) -> Member:
    flags, variables, name, parameters, result, throws = match.groups()
    split = None if parameters is None else tuple(_java(one) for one in re.split(",(?! )", parameters) if one)
    return Member(flags or "", variables or "", name, split, _java(result), throws or "")


def _java(name: str) -> str:
    element = name.removesuffix("[]")
    return name.replace(element, _PRIMITIVES.get(element, element)).replace("$", ".")


def _call(on: str, name: str, given: tuple[str, ...]) -> str:
    return f'com.intellij.Stub.call({on}, "{name}"{"".join(f", (Object) {argument}" for argument in given)});'


def main(folder: Path) -> None:
    """Write the files that differ, so that Maven compiles only after a change, and delete the files of types that are
    no longer in api-surface.txt."""
    made = {folder / path: text for path, text in Sources(SURFACE.read_text(encoding="utf-8")).files().items()}
    for stale in set(folder.rglob("*.java")) - made.keys():
        stale.unlink()
    for path, text in made.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
