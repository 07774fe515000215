/**
 * Shows the report on the whole port: a page that the server generates, in a tab. The page's links to files open the
 * files in VS Code.
 */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

const COMMAND = "uncuda.report";
const OPEN_PLACE = "uncuda.openPlace";
/**
 * Matches a link from the page to a file. Text from the user's code is escaped in the page, so it cannot contain such a
 * link.
 */
const TO_FILE = /<a href="(?!#|https:)([^"#]+)(?:#L(\d+))?"/g;

const { t } = vscode.l10n;
const panels = new Map<string, vscode.WebviewPanel>();

/**
 * Have the server generate the report of a folder and show it. Without `given`, use the only folder of the workspace,
 * or ask the user which.
 */
export async function openReport(client: LanguageClient, given: unknown): Promise<void> {
  const folder = typeof given === "string" ? given : given instanceof vscode.Uri ? given.toString() : await choose();
  if (folder === undefined) {
    return;
  }
  if (!client.initializeResult?.capabilities.executeCommandProvider?.commands.includes(COMMAND)) {
    throw new Error(t("This server is older than the extension and makes no report. Update uncuda in its Python."));
  }
  const params = { command: COMMAND, arguments: folder ? [{ root: folder }] : [] };
  const page = (await client.sendRequest(ExecuteCommandRequest.type, params)) as { html: string } | null;
  if (page) {
    show(page.html, folder);
  }
}

/**
 * Return the URI of the folder to report on; "" if no folder is open, which the server then reports; undefined if the
 * user cancelled.
 */
async function choose(): Promise<string | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const folder = folders.length > 1 ? await vscode.window.showWorkspaceFolderPick() : folders[0];
  return folder?.uri.toString() ?? (folders.length ? undefined : "");
}

function show(html: string, folder: string): void {
  const panel = panels.get(folder) ?? create(folder);
  panel.webview.html = html.replace(TO_FILE, (link, path: string, line: string | undefined) => {
    const file = decoded(path);
    const place = encodeURIComponent(JSON.stringify([folder, file, Number(line ?? 1)]));
    return file === undefined ? link : `<a href="command:${OPEN_PLACE}?${place}"`;
  });
  panel.reveal();
}

/**
 * Return a path without percent-encoding; undefined if the path is not UTF-8, because VS Code cannot open such a path.
 */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

function create(folder: string): vscode.WebviewPanel {
  const panel = vscode.window.createWebviewPanel("uncuda.report", t("uncuda: Report"), vscode.ViewColumn.Active, {
    enableScripts: true, // for the page's own filter; the page's content security policy allows no other script
    enableCommandUris: [OPEN_PLACE],
    enableFindWidget: true,
    localResourceRoots: [],
    retainContextWhenHidden: true,
  });
  panels.set(folder, panel);
  panel.onDidDispose(() => panels.delete(folder));
  return panel;
}

/** The command of a link on the page: show a line of a file in the folder. */
export async function openPlace(folder: string, path: string, line: number): Promise<void> {
  const position = new vscode.Position(Math.max(0, line - 1), 0);
  if (!path.split("/").includes("..")) {
    const file = vscode.Uri.joinPath(vscode.Uri.parse(folder), ...path.split("/"));
    await vscode.commands.executeCommand("vscode.open", file, { selection: new vscode.Range(position, position) });
  }
}
