/** The pages of rules: Markdown that the server writes, shown in the preview. */

import * as vscode from "vscode";

import type { Server } from "./server.ts";

const SCHEME = "uncuda-rule";

/** Gives the text of pages. */
export function providePages(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri): Promise<string> {
      const client = await server.client();
      const page = await client?.sendRequest<{ text: string } | null>("uncuda/rulePage", { uri: uri.toString() });
      return page?.text ?? server.problem ?? vscode.l10n.t("There is no such page.");
    },
  });
}

/** Shows the page that the server names; an older one has shown a file by itself. */
export async function showPage(result: unknown): Promise<void> {
  const page = (result as { page?: string } | null)?.page;
  if (page) {
    await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.parse(page));
  }
}
