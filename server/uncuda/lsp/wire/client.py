"""The client's capabilities, read once from the parameters of `initialize`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .positions import Encoding

_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


@dataclass(frozen=True)
class Client:
    """The client's capabilities; capabilities that it does not declare are off."""

    name: str = ""
    version: str = ""
    locale: str = ""
    encoding: Encoding = "utf-16"
    apply_edit: bool = False
    document_changes: bool = False
    annotations: bool = False
    creates: bool = False
    """Whether an edit may create a file."""
    metadata: bool = False
    """Whether the client supports `metadata.isRefactoring` in `workspace/applyEdit`."""
    pull: bool = False
    refresh: bool = False
    """Supports `workspace/diagnostic/refresh`."""
    related_information: bool = False
    tags: frozenset[int] = frozenset()
    """The diagnostic tags that the client shows."""
    code_description: bool = False
    data: bool = False
    """Whether the client sends a diagnostic's `data` back in code action requests."""
    version_support: bool = False
    """Whether the client supports a version in pushed diagnostics."""
    progress: bool = False
    literals: bool = False
    """Whether the client supports CodeAction results, not only commands."""
    resolve_edit: bool = False
    preferred: bool = False
    disabled: bool = False
    honors_annotations: bool = False
    markdown: bool = False
    lens_refresh: bool = False
    show_document: bool = False
    buttons: bool = False
    """Whether the client declares that its messages have buttons (`window/showMessageRequest`)."""
    show_problems: bool = False
    """Whether the client opens its list of problems on `uncuda/showProblems`."""
    status_changed: bool = False
    """Whether the client requests the status again on `uncuda/statusChanged`."""
    choose_target: bool = False
    """Whether the client opens a list of targets on `uncuda/chooseTarget`."""
    rule_pages: bool = False
    """Whether the client shows pages of rules by requesting their text (`uncuda/rulePage`)."""
    overview: int | None = None
    """The version of the overview's protocol that the client supports; None if it shows no overview."""
    shows: frozenset[str] = frozenset()
    """The names of the views that the client can open on `uncuda/showOverview`."""
    restricted: bool = False
    """Whether the user has not trusted the workspace."""
    watch: bool = False
    """Whether the client supports dynamic registration of file watchers."""
    configuration: bool = False
    configuration_registration: bool = False
    folders: bool = False
    notebooks: bool = False

    @property
    def is_jetbrains(self) -> bool:
        """Whether the client is a JetBrains IDE, with its own language client or LSP4IJ."""
        name = self.name.lower()
        return any(word in name for word in ("jetbrains", "intellij", "pycharm", "lsp4ij"))

    @property
    def offers_buttons(self) -> bool:
        """Whether a message may have a button without blocking the user; Neovim, for example, waits for an answer."""
        return self.buttons and self.show_document and self.name != "Neovim"

    @property
    def language(self) -> str:
        """The language of the client's user interface: "zh", "en", or "auto" if the client does not name it."""
        if not self.locale:
            return "auto"
        return "zh" if self.locale.lower().startswith("zh") else "en"


def read_client(params: Mapping[str, Any]) -> Client:
    """The capabilities in the parameters of `initialize`; values of a wrong type count as absent."""

    def at(path: str) -> Any:
        value: Any = params.get("capabilities")
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value

    info = params.get("clientInfo")
    info = info if isinstance(info, dict) else {}
    locale = params.get("locale")
    pull, push = at("textDocument.diagnostic"), at("textDocument.publishDiagnostics")

    def shows(name: str) -> Any:
        """Return the value of a capability for pulled diagnostics; if the client does not declare it, the value for
        pushed diagnostics."""
        own = at(f"textDocument.diagnostic.{name}") if isinstance(pull, dict) else None
        return own if own is not None else at(f"textDocument.publishDiagnostics.{name}")

    tags = shows("tagSupport")
    values = tags.get("valueSet") if isinstance(tags, dict) else None
    resolved = at("textDocument.codeAction.resolveSupport.properties")
    shown = at("experimental.uncudaOverview.shows")
    formats = at("textDocument.hover.contentFormat")
    return Client(
        name=str(info.get("name") or ""),
        version=str(info.get("version") or ""),
        locale=locale if isinstance(locale, str) else "",
        encoding=_encoding(at("general.positionEncodings")),
        apply_edit=at("workspace.applyEdit") is True,
        document_changes=at("workspace.workspaceEdit.documentChanges") is True,
        creates=_creates(at("workspace.workspaceEdit")),
        annotations=isinstance(at("workspace.workspaceEdit.changeAnnotationSupport"), dict),
        metadata=at("workspace.workspaceEdit.metadataSupport") is True,
        pull=isinstance(pull, dict),
        refresh=at("workspace.diagnostics.refreshSupport") is True,
        related_information=shows("relatedInformation") is True,
        tags=frozenset(value for value in values if isinstance(value, int))
        if isinstance(values, list)
        else frozenset(),
        code_description=shows("codeDescriptionSupport") is True,
        data=shows("dataSupport") is True,
        version_support=isinstance(push, dict) and push.get("versionSupport") is True,
        progress=at("window.workDoneProgress") is True,
        literals=isinstance(at("textDocument.codeAction.codeActionLiteralSupport"), dict),
        resolve_edit=isinstance(resolved, list) and "edit" in resolved,
        preferred=at("textDocument.codeAction.isPreferredSupport") is True,
        disabled=at("textDocument.codeAction.disabledSupport") is True,
        honors_annotations=at("textDocument.codeAction.honorsChangeAnnotations") is True,
        markdown=isinstance(formats, list) and "markdown" in formats,
        lens_refresh=at("workspace.codeLens.refreshSupport") is True,
        buttons=isinstance(at("window.showMessage"), dict),
        show_problems=at("experimental.uncudaShowProblems") is True,
        status_changed=at("experimental.uncudaStatusChanged") is True,
        choose_target=at("experimental.uncudaChooseTarget") is True,
        rule_pages=at("experimental.uncudaRulePages") is True,
        overview=_version(at("experimental.uncudaOverview.version")),
        shows=frozenset(filter(lambda each: isinstance(each, str), shown)) if isinstance(shown, list) else frozenset(),
        restricted=at("experimental.uncudaRestricted") is True,
        show_document=at("window.showDocument.support") is True,
        watch=at("workspace.didChangeWatchedFiles.dynamicRegistration") is True,
        configuration=at("workspace.configuration") is True,
        configuration_registration=at("workspace.didChangeConfiguration.dynamicRegistration") is True,
        folders=at("workspace.workspaceFolders") is True,
        notebooks=isinstance(at("notebookDocument.synchronization"), dict),
    )


def _creates(edit: Any) -> bool:
    """Return whether the client can create files as part of a workspace edit."""
    operations = edit.get("resourceOperations") if isinstance(edit, dict) else None
    return isinstance(operations, list) and "create" in operations


def _version(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _encoding(offered: Any) -> Encoding:
    """Return the first of the client's position encodings that the server supports; UTF-16 if there is none."""
    for name in offered if isinstance(offered, list) else ():
        for encoding in _ENCODINGS:
            if name == encoding:
                return encoding
    return "utf-16"
