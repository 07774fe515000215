/** The commands of the Port view and of the review. */

import * as vscode from "vscode";
import type { GenericNotificationHandler, LanguageClient } from "vscode-languageclient/node";

import { Comparison, type Wanted } from "./compare.ts";
import { provideFixed } from "./fixed.ts";
import { showCommandFailure } from "./messages.ts";
import { More } from "./nodes.ts";
import { hasOverview, Shown, type Action, type Choice, type Node } from "./overview.ts";
import { Review, run } from "./review.ts";
import type { Server } from "./server.ts";
import { PortView } from "./view.ts";

const { t } = vscode.l10n;

/** The Port view and the review with their commands, and the server's notifications for them. */
export class Port implements vscode.Disposable {
  readonly #shown: Shown;
  readonly #review: Review;
  readonly #comparison = new Comparison();
  #view: PortView | undefined;
  #disposables: { dispose(): unknown }[] = [];

  readonly listeners: Readonly<Record<string, GenericNotificationHandler>> = {
    "uncuda/overviewChanged": () => {
      this.#view?.refresh();
      this.#review.again.changed();
    },
    "uncuda/showOverview": ({ what }: { what: string }) => {
      const command = { review: "uncuda.review", report: "uncuda.openReport" }[what] ?? "uncuda.port.focus";
      void vscode.commands.executeCommand(command);
    },
  };

  constructor(state: vscode.Memento) {
    this.#shown = new Shown(state);
    this.#review = new Review(this.#shown, state, this.#comparison);
  }

  begin(server: Server): void {
    const view = new PortView(server, this.#shown);
    this.#view = view;
    const review = this.#review;
    const comparison = this.#comparison;
    const register = (id: string, does: (client: LanguageClient, node?: unknown) => unknown) =>
      vscode.commands.registerCommand(id, (node?: unknown) => using(server, (client) => does(client, node)));
    const act = (name: Action["name"]) => (client: LanguageClient, node: unknown) =>
      this.#act(client, name, node ?? view.selected);
    const go = (move: number) => (client: LanguageClient) => review.go(client, move);
    this.#disposables = [
      view,
      comparison,
      provideFixed(server),
      register("uncuda.portFix", act("fix")),
      register("uncuda.portPreview", act("preview")),
      register("uncuda.portAccept", act("accept")),
      register("uncuda.portSuppress", act("suppress")),
      register("uncuda.portWhy", act("why")),
      register("uncuda.portFilter", () => this.#filter(view.top.choices ?? [])),
      register("uncuda.portGroup", () => this.#group()),
      register("uncuda.portMore", (_client, node) => {
        if (node instanceof More) {
          view.more(node);
        }
      }),
      register("uncuda.portReveal", () => view.reveal()),
      register("uncuda.review", go(0)),
      register("uncuda.reviewNext", go(1)),
      register("uncuda.reviewPrevious", go(-1)),
      register("uncuda.reviewFix", (client) => review.act(client, "fix")),
      register("uncuda.reviewAccept", (client) => review.act(client, "accept")),
      register("uncuda.reviewSuppress", (client) => review.act(client, "suppress")),
      register("uncuda.reviewSkip", (client) => review.skip(client)),
      register("uncuda.reviewRule", (client) => review.rule(client)),
      register("uncuda.reviewFixAll", (client) => comparison.act(client, "fix")),
      register("uncuda.reviewAcceptAll", (client) => comparison.act(client, "accept")),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.#disposables).dispose();
  }

  async #act(client: LanguageClient, name: Action["name"], node: unknown): Promise<void> {
    const action = isNode(node) && node.actions.find((one) => one.name === name);
    if (!action) {
      return;
    }
    if (!action.command) {
      await this.#review.show(node);
    } else if (name === "why") {
      await vscode.commands.executeCommand(action.command, ...action.arguments);
    } else if (name === "preview" && "rules" in action.arguments[0]) {
      await this.#comparison.show(client, action.arguments[0] as Wanted);
    } else {
      await run(client, action);
    }
  }

  async #group(): Promise<void> {
    await this.#shown.setGroup(this.#shown.group === "rule" ? "folder" : "rule");
    this.#view?.refresh();
  }

  /**
   * Ask which classes, severities and places are shown. If all values of a dimension, or none, are chosen, the
   * dimension is not filtered.
   */
  async #filter(choices: readonly Choice[]): Promise<void> {
    const now = new Set(this.#shown.filter);
    const named = (dimension: string) => choices.some((one) => one.dimension === dimension && now.has(one.value));
    const rows = choices.flatMap((choice, index) => {
      const { value, dimension, label, count } = choice;
      const row = { label, description: String(count), picked: now.has(value) || !named(dimension), choice };
      const first = index > 0 && choices[index - 1]?.dimension !== dimension;
      return first ? [{ label: "", kind: vscode.QuickPickItemKind.Separator }, row] : [row];
    });
    const options = { canPickMany: true, title: t("What is shown in the Port view") } as const;
    const chosen = await vscode.window.showQuickPick<vscode.QuickPickItem & { choice?: Choice }>(rows, options);
    if (chosen) {
      const picked = new Set(chosen.map((row) => row.choice?.value));
      const whole = (dimension: string) =>
        choices.every((one) => one.dimension !== dimension || picked.has(one.value));
      const filter = choices.filter(({ value, dimension }) => picked.has(value) && !whole(dimension));
      await this.#shown.setFilter(filter.map((one) => one.value));
      this.#view?.refresh();
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "actions" in value;
}

/**
 * Call a function with the client of a server that has an overview; show an error message if there is no such server.
 */
async function using(server: Server, does: (client: LanguageClient) => unknown): Promise<unknown> {
  const client = await server.client();
  try {
    if (!client) {
      throw new Error(server.problem ?? t("the server does not run"));
    }
    if (!hasOverview(client)) {
      throw new Error(t("The uncuda that runs is older than this extension and has no overview: update it."));
    }
    return await does(client);
  } catch (error) {
    showCommandFailure(error);
    return undefined;
  }
}
