/** The fixed texts that the server provides, as read-only documents. */

import * as vscode from "vscode";

import type { FindingName } from "./overview.ts";
import type { Server } from "./server.ts";

const SCHEME = "uncuda-fixed";

/**
 * The URI of a text that the server provides: the file with one finding fixed, with all findings of some rules fixed,
 * or unchanged.
 */
export function fixedUri(asked: Partial<FindingName> & { uri: string; rules?: readonly string[] }): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: vscode.Uri.parse(asked.uri).path, query: JSON.stringify(asked) });
}

/** Provides the fixed texts as read-only documents that are not on the disk. */
export function provideFixed(server: Server): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    async provideTextDocumentContent(uri): Promise<string> {
      const client = await server.client();
      const name: unknown = JSON.parse(uri.query);
      const said = await client?.sendRequest<{ text?: string; stale?: string }>("uncuda/fixedText", name);
      return said?.text ?? said?.stale ?? server.problem ?? "";
    },
  });
}
