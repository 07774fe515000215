/** Activates the extension: finds a Python, starts the bundled server, and registers the commands and views. */

import * as vscode from "vscode";

import { registerCommands } from "./commands.ts";
import { providePages } from "./pages.ts";
import { Port } from "./port.ts";
import { PythonExtensions } from "./python/extensions.ts";
import { Server } from "./server.ts";
import { asksForAnother } from "./settings.ts";
import { StatusItem } from "./status.ts";
import { askForTarget, offerMove, type Question } from "./targets.ts";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const { version } = context.extension.packageJSON as { version: string };
  const log = vscode.window.createOutputChannel("uncuda", { log: true });
  const pythons = new PythonExtensions(log);
  const port = new Port(context.workspaceState);
  const running: Server = (server = new Server(context.extensionPath, pythons, log, {
    "uncuda/chooseTarget": (question: Question) => void askForTarget(running, question, context.workspaceState),
    ...port.listeners,
  }));
  const ensure = () => {
    void running.ensure();
  };
  context.subscriptions.push(
    log,
    pythons,
    running,
    registerCommands(running, log, version),
    new StatusItem(running),
    providePages(running),
    port,
    pythons.onDidChange(ensure),
    vscode.extensions.onDidChange(ensure),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void running.ensure(true)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (asksForAnother(event)) {
        ensure();
      }
    }),
  );
  port.begin(running);
  ensure();
  void offerMove(running, context.workspaceState);
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}
