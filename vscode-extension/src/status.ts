/**
 * The language status item: shows the target, the strategy and the number of findings of the file in the active editor.
 */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { SELECTOR } from "./client.ts";
import type { Server } from "./server.ts";
import { isBusy, WorkspaceItem, type Workspace } from "./workspace.ts";

/** The server's reply to `uncuda/status`; null for a document that is not checked. */
interface Status {
  readonly target: string;
  readonly title: string;
  readonly assumed: boolean;
  /**
   * The names of the targets whose plugins the project imports, if several are imported and the user has not chosen
   * one.
   */
  readonly among?: readonly string[];
  /** The version of the target's plugin for which the code is checked, and where this version comes from. */
  readonly plugin: string;
  readonly strategy: "rewrite" | "shim";
  /** The number of findings in the file; missing if the request named no file. */
  readonly findings?: number;
  readonly fixable?: number;
  /** The number of accepted findings in the file; missing in the reply of an older server. */
  readonly accepted?: number;
  /** The status of the whole workspace; missing in the reply of an older server. */
  readonly workspace?: Workspace;
}

const { t } = vscode.l10n;

/** Milliseconds to wait for further changes of diagnostics before an update. */
const PAUSE = 100;

export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.languages.createLanguageStatusItem("uncuda.status", SELECTOR);
  readonly #workspace = new WorkspaceItem();
  readonly #bar = vscode.window.createStatusBarItem("uncuda.bar", vscode.StatusBarAlignment.Right, 99);
  readonly #listeners: vscode.Disposable;
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.#item.name = this.#bar.name = "uncuda";
    this.#bar.command = "uncuda.switchTarget";
    const update = () => {
      void this.#update();
    };
    this.#listeners = vscode.Disposable.from(
      server.onDidChange(update),
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.languages.onDidChangeDiagnostics(() => {
        clearTimeout(this.#timer);
        // diagnostics of other files count, too, because they change the number for the workspace
        this.#timer = setTimeout(update, PAUSE);
      }),
    );
    update();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    vscode.Disposable.from(this.#listeners, this.#item, this.#bar, this.#workspace).dispose();
  }

  async #update(): Promise<void> {
    const turn = ++this.#turn;
    if (this.server.problem) {
      this.#item.busy = false; // an update that still waits for the server no longer shows its result
      this.#show("uncuda: $(error)", this.server.problem, vscode.LanguageStatusSeverity.Error, {
        title: t("Restart"),
        command: "uncuda.restart",
      });
      return;
    }
    this.#item.busy = true;
    const client = await this.server.client();
    const status = client && (await ask(client));
    if (turn === this.#turn) {
      this.#item.busy = client === undefined && this.server.problem === undefined;
      this.#showStatus(status);
    }
  }

  #showStatus(status: Status | null | undefined): void {
    this.#workspace.show(status?.workspace);
    this.#showBar(status);
    if (!status) {
      const text = status === null ? t("not checked") : "…";
      this.#show(`uncuda: ${text}`, "", vscode.LanguageStatusSeverity.Information, undefined);
      return;
    }
    const { title, strategy, findings = 0, fixable = 0, assumed, plugin } = status;
    const choose = { title: t("Switch Target"), command: "uncuda.switchTarget" };
    if (status.among?.length) {
      const found = status.among.join(", ");
      const detail = t("plugins of {0} are imported; nothing is shown before the target is chosen", found);
      this.#show(`uncuda: ${t("which target?")}`, detail, vscode.LanguageStatusSeverity.Warning, choose);
      return;
    }
    const number = findings === 1 ? t("1 finding") : t("{0} findings", findings);
    const fixes = assumed
      ? t("{0} can be fixed safely; nothing says which target", fixable)
      : t("{0} can be fixed safely", fixable);
    const detail = `${fixes} · ${plugin}`;
    const how = strategy === "shim" ? t("runtime patch") : t("rewrite");
    this.#show(`${title} · ${how} · ${number}`, detail, vscode.LanguageStatusSeverity.Information, choose);
  }

  /**
   * Show in the status bar the target and the number of findings: of the whole workspace if it was checked, else of the
   * file. The hover contains the texts that the language status item cuts off.
   */
  #showBar(status: Status | null | undefined): void {
    const workspace = status?.workspace;
    const whole = workspace?.state === "complete" ? workspace : undefined;
    if (!status || (status.findings === undefined && !whole)) {
      this.#bar.hide();
      return;
    }
    const { title, findings, fixable = 0, plugin, accepted = 0 } = status;
    // No number is shown during a check: the file's number would look like a smaller number for the workspace.
    this.#bar.text = `${title}: ${isBusy(workspace) ? "…" : (whole?.findings ?? findings ?? 0)}`;
    const all = whole
      ? t("workspace: {0} findings, {1} accepted; {2} files checked", whole.findings, whole.accepted ?? 0, whole.files)
      : t("workspace not scanned");
    const file = t("this file: {0} findings, {1} can be fixed safely, {2} accepted", findings ?? 0, fixable, accepted);
    const files = findings === undefined ? [all] : [file, all];
    this.#bar.tooltip = ["uncuda", ...files, plugin.replaceAll("`", "'"), t("Switch Target")].join("\n");
    this.#bar.show();
  }

  #show(
    text: string,
    detail: string,
    severity: vscode.LanguageStatusSeverity,
    command: vscode.Command | undefined,
  ): void {
    Object.assign(this.#item, { text, detail, severity, command });
  }
}

/** Request the status of the Python file in the active editor; without one, the status of the workspace. */
async function ask(client: LanguageClient): Promise<Status | null | undefined> {
  const document = vscode.window.activeTextEditor?.document;
  const uri = document && vscode.languages.match(SELECTOR, document) > 0 ? document.uri.toString() : undefined;
  try {
    return await client.sendRequest<Status | null>("uncuda/status", uri ? { textDocument: { uri } } : {});
  } catch {
    // an older uncuda, installed for that Python, may not know the request; the log contains the error
    return undefined;
  }
}
