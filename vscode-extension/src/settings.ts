/** Reads the extension's own settings. All other settings belong to the server, which requests them itself. */

import * as vscode from "vscode";

import type { ImportStrategy } from "./launch.ts";

export const SECTION = "uncuda";

export function interpreterSetting(): string {
  return vscode.workspace.getConfiguration(SECTION).get("interpreter", "").trim();
}

export function importStrategy(): ImportStrategy {
  return vscode.workspace.getConfiguration(SECTION).get<ImportStrategy>("importStrategy", "useBundled");
}

/** Return whether a change of the settings may select another Python or another uncuda. */
export function asksForAnother(event: vscode.ConfigurationChangeEvent): boolean {
  return event.affectsConfiguration("uncuda.interpreter") || event.affectsConfiguration("uncuda.importStrategy");
}
