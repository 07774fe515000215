/**
 * The preview of all fixes of a rule: one editor that shows each file beside its fixed text, with buttons to fix or
 * accept.
 */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

import { fixedUri } from "./fixed.ts";
import type { Action } from "./overview.ts";
import { run } from "./review.ts";

/** Selects the fixes to show; the server's commands for many fixes take the same argument. */
export interface Wanted {
  readonly rules: readonly string[];
  readonly applicability?: string;
  readonly scope?: string;
}

/** The server's reply to `uncuda/changes`. */
interface Changes {
  readonly title: string;
  readonly files: readonly { readonly uri: string; readonly version: string; readonly isNotebook: boolean }[];
  /** Whether there are too many files to show them in one editor. */
  readonly many: boolean;
  readonly actions: readonly Action[];
}

export class Comparison implements vscode.Disposable {
  readonly #listener: vscode.Disposable;
  #shown: Changes | undefined;
  #then: (() => unknown) | undefined;

  constructor() {
    const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
    const look = () => void this.#look();
    this.#listener = vscode.Disposable.from(onDidChangeTabs(look), onDidChangeTabGroups(look));
  }

  dispose(): void {
    this.#listener.dispose();
  }

  /** Show what the fixes would change. `then` is called after the user has made the fixes or accepted the findings. */
  async show(client: LanguageClient, wanted: Wanted, then?: () => unknown): Promise<void> {
    const { rules, applicability, scope } = wanted;
    const asked = { rules, applicability, scope };
    const changes = await client.sendRequest<Changes>("uncuda/changes", asked);
    if (changes.many) {
      const command = "uncuda.previewFixAllInWorkspace";
      await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [asked] });
      return;
    }
    const rows = changes.files.map(({ uri, version, isNotebook }) => {
      const file = vscode.Uri.parse(uri);
      // A notebook is shown as the text of its cells.
      return [file, isNotebook ? fixedUri({ uri, version }) : file, fixedUri({ uri, version, ...asked })];
    });
    if (!rows.length) {
      void vscode.window.showInformationMessage(vscode.l10n.t("uncuda: nothing is left to review."));
      return;
    }
    await this.#close();
    this.#shown = changes;
    this.#then = then;
    await vscode.commands.executeCommand("vscode.changes", changes.title, rows);
    await this.#look();
  }

  /** Run one of the actions for all shown findings. */
  async act(client: LanguageClient, name: Action["name"]): Promise<void> {
    const action = this.#shown?.actions.find((one) => one.name === name);
    if (action && (await run(client, action))) {
      await this.#close();
      await this.#then?.();
    }
  }

  get #tabs(): vscode.Tab[] {
    const title = this.#shown?.title; // VS Code appends the number of files to the title
    const every = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    return title === undefined ? [] : every.filter((tab) => tab.label.startsWith(title));
  }

  async #close(): Promise<void> {
    await vscode.window.tabGroups.close(this.#tabs);
    this.#shown = undefined;
  }

  /** Show the buttons only while this editor is active. */
  async #look(): Promise<void> {
    const active = this.#tabs.some((tab) => tab.isActive && tab.group.isActive);
    const has = (name: string) => active && this.#shown?.actions.some((action) => action.name === name) === true;
    await vscode.commands.executeCommand("setContext", "uncuda.comparedFix", has("fix"));
    await vscode.commands.executeCommand("setContext", "uncuda.comparedAccept", has("accept"));
  }
}
