/** Collects the information for a bug report: what the server reports about itself, and which Python was found. */

import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient/node";

import type { Server } from "./server.ts";
import { importStrategy } from "./settings.ts";

export async function debugInformation(server: Server, version: string): Promise<string> {
  const client = await server.client();
  const { interpreter, problem } = server;
  const python = interpreter && `${interpreter.command}, ${interpreter.version.join(".")} (${interpreter.source})`;
  const said: unknown = client
    ? await client.sendRequest(ExecuteCommandRequest.type, { command: "uncuda.debugInformation" })
    : `no server: ${problem ?? "not started"}`;
  const content = [
    `extension ${version}, ${vscode.env.appName} ${vscode.version}, ${vscode.env.language}`,
    `Python: ${python ?? "none"}`,
    `import strategy: ${importStrategy()}; trusted: ${vscode.workspace.isTrusted ? "yes" : "no"}`,
    "",
    String(said),
  ].join("\n");
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: "plaintext" }));
  return content;
}
