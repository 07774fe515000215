/** The review: shows one finding after the other, with its file beside the fixed text. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, type LanguageClient } from "vscode-languageclient/node";

import { accept } from "./accept.ts";
import { Again } from "./again.ts";
import type { Comparison } from "./compare.ts";
import { fixedUri } from "./fixed.ts";
import { placeOf } from "./nodes.ts";
import { type Action, type Node, type Shown } from "./overview.ts";

const { t } = vscode.l10n;
const PLACE = "uncuda.review";

/** The server's reply to `uncuda/review`. `message`: which files were not checked; `isWaiting`: they are being checked. */
interface Answer {
  readonly index: number;
  readonly total: number;
  readonly label: string;
  readonly node: Node | null;
  readonly message?: string;
  readonly isWaiting?: boolean;
}

/** The finding at which the review stands; stored for each workspace. */
interface At {
  readonly from: string;
  readonly at: number;
}

export class Review {
  /** Keys of the findings that the user skipped; they stay skipped until the window is closed. */
  readonly #skipped = new Set<string>();
  readonly again = new Again();
  #node: Node | undefined;
  /** The number of the last request for a finding; earlier ones no longer wait. */
  #asked = 0;
  /** The message in the status bar while a finding without a fix is shown. */
  #said: vscode.Disposable | undefined;

  constructor(
    private readonly shown: Shown,
    private readonly state: vscode.Memento,
    private readonly comparison: Comparison,
  ) {}

  /**
   * Show the finding `move` places after the current one. `done`: the key of a finding that is done, although the
   * server may still list it.
   */
  async go(client: LanguageClient, move: number, done?: string): Promise<void> {
    const place = this.state.get<At | undefined>(PLACE, undefined);
    const skip = [...this.#skipped, ...(done === undefined ? [] : [done])];
    const asked = { ...place, filter: this.shown.filter, skip, move };
    const last = (this.#asked += 1);
    const { node, index, label, message, isWaiting } = await this.#ask(() =>
      client.sendRequest<Answer>("uncuda/review", asked),
    );
    if (last !== this.#asked) {
      return;
    }
    if (!node?.key) {
      this.#leave();
      if (!isWaiting) {
        void vscode.window.showInformationMessage(message ?? t("uncuda: nothing is left to review."));
      }
      return;
    }
    await this.state.update(PLACE, { from: node.key, at: index });
    await this.show(node, label);
  }

  /** Return the server's reply; while it checks files and has found nothing to review, wait until the user cancels. */
  async #ask(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = await ask();
    if (!answer.isWaiting) {
      return answer;
    }
    this.#leave();
    const { Notification, Window } = vscode.ProgressLocation;
    const { message } = answer; // without it, only some files are checked again
    const shown = { location: message ? Notification : Window, title: message ?? "uncuda", cancellable: true };
    return vscode.window.withProgress(shown, (_progress, cancellation) => this.again.until(ask, cancellation));
  }

  /** Show one finding: beside its fixed text, or at its place in the file if it has no fix. */
  async show(node: Node, label = node.label): Promise<void> {
    this.#node = node;
    this.#said?.dispose();
    const [uri, options] = placeOf(node);
    const preview = node.actions.some((action) => action.name === "preview");
    const name = node.finding;
    const fixed = name && preview ? fixedUri({ ...name }) : undefined;
    // The context is the path, because in a remote window the workbench has another URI for the file.
    await vscode.commands.executeCommand("setContext", "uncuda.reviewed", [uri.fsPath]);
    if (name && fixed && uri.scheme === "file") {
      // A notebook is compared as the text of its cells.
      const before = uri.path.endsWith(".ipynb") ? fixedUri({ uri: name.uri, version: name.version }) : uri;
      await vscode.commands.executeCommand("vscode.diff", before, fixed, label, options);
    } else {
      await vscode.commands.executeCommand("vscode.open", uri, options);
      this.#said = vscode.window.setStatusBarMessage(label);
      await vscode.commands.executeCommand("editor.action.showHover"); // the hover says what the user has to do by hand
    }
  }

  /** Run one of the finding's actions; show the next finding if the action changed something. */
  async act(client: LanguageClient, name: Action["name"]): Promise<void> {
    const action = this.#node?.actions.find((one) => one.name === name);
    if (!action) {
      void vscode.window.showInformationMessage(
        name === "fix"
          ? t("uncuda: no fix is known for this finding: change it by hand, accept it with a reason, or skip it.")
          : t("uncuda: there is no such action for this finding."),
      );
      return;
    }
    const done = this.#node?.key;
    if (await run(client, action)) {
      await this.go(client, 1, done);
    }
  }

  async skip(client: LanguageClient): Promise<void> {
    if (this.#node?.key) {
      this.#skipped.add(this.#node.key);
    }
    await this.go(client, 1);
  }

  /** Preview all fixes of the finding's rule in the workspace; then show the next finding. */
  async rule(client: LanguageClient): Promise<void> {
    const why = this.#node?.actions.find((one) => one.name === "why");
    const { rule } = (why?.arguments[0] ?? {}) as { rule?: string };
    if (rule) {
      const wanted = { rules: [rule], applicability: "review" };
      await this.comparison.show(client, wanted, () => this.go(client, 1));
    }
  }

  #leave(): void {
    this.#node = undefined;
    this.#said?.dispose();
    void vscode.commands.executeCommand("setContext", "uncuda.reviewed", []);
  }
}

/** Run an action and return whether it changed something. */
export async function run(client: LanguageClient, action: Action): Promise<boolean> {
  const { command } = action;
  const asks = action.name === "accept" || action.name === "suppress";
  const result: unknown =
    asks
      ? await accept(client, command, action.arguments)
      : await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [...action.arguments] });
  const { applied, accepted } = (result ?? {}) as { applied?: boolean; accepted?: number };
  return Boolean(applied) || Boolean(accepted);
}
