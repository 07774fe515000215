/**
 * The language status item of the workspace: shows the progress of the check of all files, or a command that starts the
 * check.
 */

import * as vscode from "vscode";

import { SELECTOR } from "./client.ts";

/** The part of the reply to `uncuda/status` about the whole workspace. */
export interface Workspace {
  readonly state: "off" | "reading" | "checking" | "complete" | "stopped" | "large" | "restricted";
  readonly files: number;
  readonly findings: number;
  /** The number of accepted findings; missing in the reply of an older server. */
  readonly accepted?: number;
}

const { t } = vscode.l10n;

const DETAILS: Record<Workspace["state"], (files: number) => string> = {
  off: () => t("what is found in open files is shown"),
  reading: () => t("its files are read"),
  checking: (files) => t("{0} files are checked", files),
  complete: (files) => t("{0} files", files),
  stopped: () => t("the scan was cancelled"),
  large: (files) => t("{0} files; so many are checked when you say so", files),
  restricted: () => t("you have not said that you trust it"),
};

/** Return whether the workspace's files are being checked; the number of findings is then incomplete. */
export function isBusy(workspace: Workspace | undefined): boolean {
  return workspace?.state === "reading" || workspace?.state === "checking";
}

export class WorkspaceItem implements vscode.Disposable {
  #item: vscode.LanguageStatusItem | undefined;

  dispose(): void {
    this.#item?.dispose();
  }

  /** Show the last status of the workspace; an older server sends none, and then there is no such item. */
  show(workspace: Workspace | undefined): void {
    if (!workspace) {
      return;
    }
    const { state, files, findings } = workspace;
    const number = findings === 1 ? t("1 finding") : t("{0} findings", findings);
    const busy = isBusy(workspace);
    const whole = state === "complete";
    this.#item ??= vscode.languages.createLanguageStatusItem("uncuda.workspace", SELECTOR);
    Object.assign(this.#item, {
      name: t("uncuda: workspace"),
      busy,
      text: whole || busy ? t("workspace: {0}", number) : t("workspace not scanned"),
      detail: DETAILS[state](files),
      command:
        whole || busy
          ? { title: t("Show Problems"), command: "workbench.actions.view.problems" }
          : { title: t("Scan Workspace"), command: "uncuda.scanWorkspace" },
    });
  }
}
