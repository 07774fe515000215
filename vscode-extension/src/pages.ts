/** Shows the pages of rules: the server generates the Markdown, and VS Code's preview shows it. */

import * as vscode from "vscode";

import type { Server } from "./server.ts";

const SCHEME = "uncuda-rule";

/** Provide the texts of the pages as documents. */
export function providePages(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri): Promise<string> {
      const client = await server.client();
      const page = await client?.sendRequest<{ text: string } | null>("uncuda/rulePage", { uri: uri.toString() });
      return page?.text ?? server.problem ?? vscode.l10n.t("There is no such page.");
    },
  });
}

/** Show the page whose URI is in the command's result; an older server opens a file itself. */
export async function showPage(result: unknown): Promise<void> {
  const page = (result as { page?: string } | null)?.page;
  if (page) {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(page));
  }
}
