/** Findings that are accepted, and why: the protocol has no question for a line of text. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

const { t } = vscode.l10n;

/** Ask for the reason, and have the server accept; nothing happens without an answer, an empty one is one. */
export async function accept(client: LanguageClient, command: string, args: readonly unknown[]): Promise<unknown> {
  const [given] = args as ({ reason?: string; rules?: readonly string[]; rule?: string } | undefined)[];
  const rule = given?.rule ?? given?.rules?.join(", ");
  const title = rule ? t("Accept '{0}'", rule) : t("Accept all that is found");
  const prompt = t("Why? It stands in the baseline, beside what is accepted. Enter accepts, also without a reason.");
  const reason = given?.reason ?? (await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true }));
  if (reason === undefined) {
    return null;
  }
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [{ ...given, reason }] });
}
