/** Registers the commands. Commands of the server are sent to the server; if no server runs, they show the reason. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

import { accept } from "./accept.ts";
import { debugInformation } from "./debug.ts";
import { showCommandFailure } from "./messages.ts";
import { showPage } from "./pages.ts";
import { openPlace, openReport } from "./report.ts";
import type { Server } from "./server.ts";
import { moveTarget, switchTarget } from "./targets.ts";

/** All commands of the server that the extension registers. */
const SERVER_COMMANDS = [
  "uncuda.fixAllInWorkspace",
  "uncuda.previewFixAllInWorkspace",
  "uncuda.fixAllInFile",
  "uncuda.accept",
  "uncuda.acceptInWorkspace",
  "uncuda.scanWorkspace",
  "uncuda.switchTarget",
  "uncuda.keepTarget",
  "uncuda.report",
  "uncuda.writeReport",
  "uncuda.showRule",
] as const;

type ServerCommand = (typeof SERVER_COMMANDS)[number];

export function registerCommands(server: Server, log: vscode.LogOutputChannel, version: string): vscode.Disposable {
  const register = (id: string, run: (...args: never[]) => unknown) => vscode.commands.registerCommand(id, run);
  return vscode.Disposable.from(
    ...SERVER_COMMANDS.map((id) => register(id, (...args: unknown[]) => execute(server, id, args))),
    register("uncuda.fixAllInFolder", (uri?: vscode.Uri, uris?: vscode.Uri[]) =>
      each(uri, uris, (scope) => execute(server, "uncuda.fixAllInWorkspace", [{ scope }])),
    ),
    register("uncuda.previewFixAllInFolder", (uri?: vscode.Uri, uris?: vscode.Uri[]) =>
      each(uri, uris, (scope) => execute(server, "uncuda.previewFixAllInWorkspace", [{ scope }])),
    ),
    register("uncuda.acceptInFolder", (uri?: vscode.Uri, uris?: vscode.Uri[]) =>
      each(uri, uris, (scope) => execute(server, "uncuda.acceptInWorkspace", [{ scope }])),
    ),
    register("uncuda.openReport", (root?: unknown) => using(server, (client) => openReport(client, root))),
    register("uncuda.openPlace", openPlace),
    register("uncuda.debugInformation", () => debugInformation(server, version)),
    register("uncuda.restart", () => server.ensure(true)),
    register("uncuda.showLogs", () => {
      log.show(true);
    }),
    register("uncuda.moveTarget", () => using(server, moveTarget)),
  );
}

/**
 * Call `run` for each file or folder that is selected in the Explorer, or for the one whose menu was opened, one after
 * the other.
 */
async function each(uri: vscode.Uri | undefined, uris: unknown, run: (scope: string) => unknown): Promise<void> {
  for (const one of Array.isArray(uris) ? uris : [uri]) {
    if (one instanceof vscode.Uri) {
      await run(one.toString());
    }
  }
}

async function execute(server: Server, command: ServerCommand, args: readonly unknown[]): Promise<unknown> {
  const [, selected] = args;
  if (command === "uncuda.fixAllInFile" && Array.isArray(selected) && selected.length > 1) {
    // several files were selected in the Explorer
    return each(undefined, selected, (uri) => execute(server, command, [{ uri }]));
  }
  return using(server, async (client) => {
    const given = argumentsOf(command, args);
    if (command === "uncuda.switchTarget" && !given.length) {
      return switchTarget(client);
    }
    if (command === "uncuda.accept" || command === "uncuda.acceptInWorkspace") {
      return accept(client, command, given);
    }
    const result: unknown = await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: given });
    if (command === "uncuda.showRule") {
      await showPage(result);
    }
    return result;
  });
}

/** Call a function with the client; show an error message if there is none, or if the function fails. */
async function using(server: Server, run: (client: LanguageClient) => Promise<unknown>): Promise<unknown> {
  const client = await server.client();
  if (!client) {
    showCommandFailure(server.problem ?? vscode.l10n.t("the server does not run"));
    return undefined;
  }
  try {
    return await run(client);
  } catch (error) {
    showCommandFailure(error);
    return undefined;
  }
}

/**
 * Return the arguments for the server. A menu passes a file; the command palette passes nothing, and then the file is
 * that of the active editor.
 */
function argumentsOf(command: ServerCommand, args: readonly unknown[]): unknown[] {
  const uri = args[0] instanceof vscode.Uri ? args[0] : activeUri();
  if (command === "uncuda.fixAllInFile" && !isTable(args[0])) {
    return uri ? [{ uri: uri.toString() }] : [];
  }
  return args.filter(isTable);
}

/** The URI of the Python file or notebook in the active editor. */
function activeUri(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || document.uri.scheme === "vscode-notebook-cell") {
    return vscode.window.activeNotebookEditor?.notebook.uri;
  }
  return document.languageId === "python" ? document.uri : undefined;
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !(value instanceof vscode.Uri);
}
