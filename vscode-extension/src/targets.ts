/**
 * Lets the user choose a target. The server returns the possible targets and the file into which the choice would be
 * written.
 */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

import { offerToMove } from "./messages.ts";
import type { Server } from "./server.ts";
import { SECTION } from "./settings.ts";

interface Row extends vscode.QuickPickItem {
  readonly target: string;
  readonly targetVersion?: string;
  readonly hardware?: string;
}

/**
 * The server's request to choose a target. `among`: the project imports several plugins, and the server reports nothing
 * before the choice.
 */
export interface Question {
  readonly text: string;
  readonly uri: string;
  readonly among: boolean;
}

/** The server's reply to `uncuda/targets`. */
interface Offer {
  readonly targets: readonly (Row & { readonly current?: boolean })[];
  /** The file that sets the target now; null if none does. */
  readonly says: string | null;
  /** The file into which the chosen target would be written; null if there is none. */
  readonly keep: string | null;
}

const { t } = vscode.l10n;
const ASKED = "uncuda.askedToMove";
const ASKED_WHICH = "uncuda.askedForTarget";

/**
 * Ask for a target and where to store it; an older server asks itself. `first`: no target is set yet, so the answer is
 * written into the file without a further question.
 */
export async function switchTarget(client: LanguageClient, first = false): Promise<unknown> {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  const offer = await client.sendRequest<Offer>("uncuda/targets", uri ? { uri } : {}).catch(() => undefined);
  if (!offer) {
    return client.sendRequest(ExecuteCommandRequest.type, { command: "uncuda.switchTarget" });
  }
  const current = { iconPath: new vscode.ThemeIcon("check") };
  const rows: Row[] = offer.targets.map((row) => (row.current ? { ...row, ...current } : row));
  const row = await vscode.window.showQuickPick(rows, {
    title: t("Which accelerator is the code to run on?"),
    matchOnDescription: true,
  });
  if (!row) {
    return null;
  }
  const { target, targetVersion, hardware } = row;
  const run = (command: string, argument: object) =>
    client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
  const write = { label: t("Write it into {0}", offer.keep ?? ""), keep: true };
  const once = { label: t("Only until the server ends"), keep: false };
  const title = offer.says ? t("{0} names the target. Change it?", offer.says) : t("For how long?");
  const settled = !offer.keep ? once : first && !offer.says ? write : undefined;
  const where = settled ?? (await vscode.window.showQuickPick([write, once], { title }));
  if (!where) {
    return null;
  }
  return where.keep
    ? run("uncuda.keepTarget", { target, targetVersion, hardware, uri })
    : run("uncuda.switchTarget", { target });
}

/**
 * Tell the user that a target has to be chosen, and show the list if the user presses Choose. If findings are shown
 * without a choice, this happens once for each workspace.
 */
export async function askForTarget(server: Server, question: Question, memory: vscode.Memento): Promise<void> {
  if (!question.among && memory.get(ASKED_WHICH)) {
    return;
  }
  const choose = t("Choose");
  const answer = await vscode.window.showInformationMessage(question.text, choose);
  await memory.update(ASKED_WHICH, true);
  const client = answer === choose ? await server.client() : undefined;
  if (client) {
    await switchTarget(client, true);
  }
}

/**
 * Offer, once for each workspace, to move the target from VS Code's settings into the project's; not if the project's
 * settings name a target.
 */
export async function offerMove(server: Server, memory: vscode.Memento): Promise<void> {
  const target = settingOfWorkspace();
  if (!target || !vscode.workspace.isTrusted || memory.get(ASKED)) {
    return;
  }
  const client = await server.client();
  if (client && !(await isNamed(client))) {
    await memory.update(ASKED, true);
    offerToMove(target, "uncuda.moveTarget");
  }
}

/** Write the target from VS Code's settings into the settings of each folder, and remove it from VS Code's settings. */
export async function moveTarget(client: LanguageClient): Promise<void> {
  const target = settingOfWorkspace();
  let moved = target !== undefined;
  for (const uri of target ? folders() : []) {
    const params = { command: "uncuda.keepTarget", arguments: [{ target, uri }] };
    const { kept } = (await client.sendRequest(ExecuteCommandRequest.type, params)) as { kept: string | null };
    moved &&= kept !== null;
  }
  if (moved) {
    const settings = vscode.workspace.getConfiguration(SECTION);
    await settings.update("target", undefined, vscode.ConfigurationTarget.Workspace);
  }
}

/**
 * Return whether the settings of a folder name a target; an older server does not know the request, so the result is
 * false.
 */
async function isNamed(client: LanguageClient): Promise<boolean> {
  for (const uri of folders()) {
    const offer = await client.sendRequest<Offer>("uncuda/targets", { uri }).catch(() => undefined);
    if (offer?.says) {
      return true;
    }
  }
  return false;
}

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.toString());
}

function settingOfWorkspace(): string | undefined {
  return vscode.workspace.getConfiguration(SECTION).inspect<string>("target")?.workspaceValue;
}
