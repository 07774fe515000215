/** Accepts findings with a reason. The extension asks for the reason, because LSP has no request for a line of text. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

const { t } = vscode.l10n;

/** The argument of the server's commands. `scope`: the URI of a file or folder. */
interface Given {
  readonly reason?: string;
  readonly rule?: string;
  readonly range?: unknown;
  readonly rules?: readonly string[];
  readonly scope?: string;
  readonly print?: string;
}

/**
 * The title of the input box: says which findings are accepted, so that the user does not write the reason for one
 * finding to all.
 */
function titleOf({ rule, range, rules, scope, print }: Given): string {
  if (rule) {
    return range ? t("Accept this '{0}'", rule) : t("Accept all '{0}' of this file", rule);
  }
  if (rules) {
    return t("Accept all '{0}' of the workspace", rules.join(", "));
  }
  if (print) {
    return t("Accept this finding");
  }
  const where = scope && vscode.workspace.asRelativePath(vscode.Uri.parse(scope));
  return where ? t("Accept all that is found in {0}", where) : t("Accept all that is found in the workspace");
}

/**
 * Ask for the reason and send the command. If the user cancels the input box, nothing happens; an empty reason is
 * allowed.
 */
export async function accept(client: LanguageClient, command: string, args: readonly unknown[]): Promise<unknown> {
  const [given] = args as (Given | undefined)[];
  const title = command === "uncuda.suppressFinding" ? t("Suppress this finding") : titleOf(given ?? {});
  const prompt =
    command === "uncuda.suppressFinding"
      ? t("Why? The reason stands in the comment on the line; it may be empty.")
      : t("Why? The reason stands in uncuda-baseline.jsonl; it may be empty.");
  const reason = given?.reason ?? (await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true }));
  if (reason === undefined) {
    return null;
  }
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [{ ...given, reason }] });
}
