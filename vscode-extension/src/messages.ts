/** Shows messages to the user, with buttons for what the user can do. */

import * as vscode from "vscode";

import type { Problem } from "./python/candidate.ts";
import { OLDEST } from "./python/version.ts";

type Action = readonly [title: string, command: string, ...args: unknown[]];

const { t } = vscode.l10n;

export function textOfProblem({ kind, command, detail }: Problem): string {
  const oldest = OLDEST.slice(0, 2).join(".");
  switch (kind) {
    case "missing":
      return t("uncuda needs Python {0} or newer, and found no Python.", oldest);
    case "tooOld":
      return t("uncuda needs Python {0} or newer; {1} is Python {2}.", oldest, command, detail);
    case "broken":
      return detail.includes("ENOENT")
        ? t("There is no program {0}, which is set as uncuda's Python.", command)
        : t("uncuda cannot run {0}, which is set as its Python: {1}", command, detail || t("it said nothing"));
    case "untrusted":
      return t("uncuda did not run {0}: it lies in this workspace, which is not trusted.", command);
    case "withoutUncuda":
      return /No module named '?uncuda'?$/.test(detail)
        ? t('uncuda is not installed for {0}, and "uncuda.importStrategy" is "fromEnvironment".', command)
        : t('The uncuda of {0} cannot be run, and "uncuda.importStrategy" is "fromEnvironment": {1}', command, detail);
  }
}

export function showProblem(problem: Problem): void {
  const setting = problem.kind === "withoutUncuda" ? "uncuda.importStrategy" : "uncuda.interpreter";
  const trust: Action = [t("Manage Workspace Trust"), "workbench.trust.manage"];
  const remedies = problem.kind === "untrusted" ? [trust, openSettings(setting)] : [openSettings(setting)];
  show("error", textOfProblem(problem), [...remedies, showLogs(), [t("Try Again"), "uncuda.restart"]]);
}

export function showStartFailure(error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  show("error", t("uncuda's server could not be started: {0}", reason), [showLogs(), restart()]);
}

export function showCrash(restarts: boolean): void {
  const text = restarts
    ? t("uncuda's server has crashed and was started again.")
    : t("uncuda's server has crashed several times and was not started again.");
  show("error", text, restarts ? [showLogs()] : [showLogs(), restart()]);
}

export function showCommandFailure(error: unknown): void {
  show("error", t("uncuda: {0}", error instanceof Error ? error.message : String(error)), [showLogs()]);
}

function openSettings(id: string): Action {
  return [t("Open Settings"), "workbench.action.openSettings", id];
}

function showLogs(): Action {
  return [t("Show Logs"), "uncuda.showLogs"];
}

function restart(): Action {
  return [t("Restart"), "uncuda.restart"];
}

function show(kind: "error" | "info", text: string, actions: readonly Action[]): void {
  const titles = actions.map(([title]) => title);
  const shown =
    kind === "error"
      ? vscode.window.showErrorMessage(text, ...titles)
      : vscode.window.showInformationMessage(text, ...titles);
  void shown.then((chosen) => {
    const action = actions.find(([title]) => title === chosen);
    return action && vscode.commands.executeCommand(action[1], ...action.slice(2));
  });
}

/**
 * Tell the user that the workspace's VS Code settings name a target, which the command line and CI do not read. The
 * command `move` moves it.
 */
export function offerToMove(target: string, move: string): void {
  show("info", t('The target "{0}" stands in .vscode/settings.json, which the command line does not read.', target), [
    [t("Move to the Project's Settings"), move],
  ]);
}
