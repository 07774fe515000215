"""Tests of the server with another client, that of pytest-lsp, which imitates other editor versions."""

from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from cli.command import environment
from lsp.harness.client import SERVER
from lsp.harness.text import apply_text_edits

TEXT = 'import torch\n\ns = "中文😀"; torch.distributed.init_process_group("nccl")\n'
EDITORS = ["visual-studio-code@1.65.2", "neovim@0.6.1", "neovim@0.8.0", "neovim@0.10.0", "neovim@0.11.0", "emacs@29.1"]


STARTED = ClientServerConfig(server_command=SERVER, server_env=environment())


@pytest_lsp.fixture(params=EDITORS, config=STARTED)  # type: ignore[untyped-decorator]
async def editor(lsp_client: LanguageClient, request: Any, tmp_path: Path) -> Any:
    """Return a session that imitates an editor of EDITORS, for each of them in turn, in an empty folder."""
    folder = types.WorkspaceFolder(uri=tmp_path.as_uri(), name="folder")
    found = client_capabilities(request.param)
    for asked in (types.CLIENT_REGISTER_CAPABILITY, types.WINDOW_SHOW_MESSAGE_REQUEST):
        lsp_client.feature(asked)(lambda params: None)
    parameters = types.InitializeParams(capabilities=found, root_uri=folder.uri, workspace_folders=[folder])
    result = await lsp_client.initialize_session(parameters)
    offered = (found.general.position_encodings if found.general else None) or ["utf-16"]
    assert result.capabilities.position_encoding == offered[0]
    yield
    await lsp_client.shutdown_session()


@pytest.mark.slow
async def test_open_fix_and_close(editor: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "a.py").as_uri()
    document = types.TextDocumentIdentifier(uri)
    editor.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, TEXT)))
    (found,) = await diagnostics(editor, document)
    assert found.code == "nccl-backend"
    context = types.CodeActionContext([found], only=[types.CodeActionKind.QuickFix])
    asked = types.CodeActionParams(document, found.range, context)
    actions = await editor.text_document_code_action_async(asked)
    fix = next(action for action in actions or [] if isinstance(action, types.CodeAction) and action.edit)
    edit = editor.protocol._converter.unstructure(fix.edit)
    parts = edit["documentChanges"][0]["edits"] if "documentChanges" in edit else edit["changes"][uri]
    general = editor.capabilities.general if editor.capabilities else None
    encoding = ((general.position_encodings if general else None) or ["utf-16"])[0]
    assert '"hccl"' in apply_text_edits(TEXT, parts, getattr(encoding, "value", encoding))
    editor.text_document_did_close(types.DidCloseTextDocumentParams(document))


async def diagnostics(editor: LanguageClient, document: types.TextDocumentIdentifier) -> list[types.Diagnostic]:
    """Return a document's diagnostics: pulled if the editor pulls, otherwise the next ones pushed."""
    assert editor.capabilities is not None
    text_document = editor.capabilities.text_document
    if text_document is not None and text_document.diagnostic is not None:
        report = await editor.text_document_diagnostic_async(types.DocumentDiagnosticParams(document))
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)
    if document.uri not in editor.diagnostics:
        await editor.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return list(editor.diagnostics[document.uri])
