/** The Port view: shows the server's overview as a tree, and numbers above the tree and on the view's icon. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { itemOf, More } from "./nodes.ts";
import { hasOverview, type Answer, type Node, type Shown } from "./overview.ts";
import type { Server } from "./server.ts";

const { t } = vscode.l10n;

const PAUSE = 200; // minimum number of milliseconds between two requests for the overview

type Element = Node | More;

export class PortView implements vscode.TreeDataProvider<Element>, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Element | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Element>;
  readonly #parents = new Map<string, Element>();
  /** For each node with more than one page of children: how many pages are shown. */
  readonly #pages = new Map<string, number>();
  readonly #listener: vscode.Disposable;
  #top: Answer = { version: 0, update: "", nodes: [] };
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  /**
   * The node that was selected last: VS Code clears the selection while it reads the tree again, and the user may press
   * a key then.
   */
  #selected: Element | undefined;

  constructor(
    private readonly server: Server,
    private readonly shown: Shown,
  ) {
    this.#view = vscode.window.createTreeView("uncuda.port", { treeDataProvider: this, showCollapseAll: true });
    this.#listener = vscode.Disposable.from(
      server.onDidChange(() => {
        this.refresh();
      }),
      this.#view.onDidChangeSelection(({ selection }) => {
        this.#selected = selection[0];
      }),
    );
    this.refresh();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    vscode.Disposable.from(this.#listener, this.#view, this.#changed).dispose();
  }

  get top(): Answer {
    return this.#top;
  }

  get selected(): Element | undefined {
    return this.#view.selection[0] ?? this.#selected;
  }

  /** Request the overview again soon, at most five times a second. */
  refresh(): void {
    if (!this.#timer) {
      const wait = Math.max(0, this.#last + PAUSE - Date.now());
      this.#timer = setTimeout(() => void this.#ask().catch(() => undefined), wait);
    }
  }

  /** Show the Port view, and select the finding that is nearest to the cursor. */
  async reveal(): Promise<void> {
    await vscode.commands.executeCommand("uncuda.port.focus");
    const editor = vscode.window.activeTextEditor;
    const client = await this.server.client();
    if (!editor || !client || !hasOverview(client)) {
      return;
    }
    const { line, character } = editor.selection.active;
    const asked = { ...this.#query(), uri: editor.document.uri.toString(), position: { line, character } };
    const { path } = await client.sendRequest<{ path: readonly Node[] }>("uncuda/overviewPath", asked);
    path.forEach((node, index) => {
      this.#keep(node, path[index - 1]);
    });
    const last = path.at(-1);
    if (last) {
      await this.#view.reveal(last, { select: true, focus: true });
    }
  }

  more(node: More): void {
    const parent = node.parent?.id ?? "";
    this.#pages.set(parent, (this.#pages.get(parent) ?? 1) + 1);
    this.#changed.fire(node.parent);
  }

  getTreeItem(element: Element): vscode.TreeItem {
    return itemOf(element);
  }

  getParent(element: Element): Element | undefined {
    return element instanceof More ? element.parent : this.#parents.get(element.id);
  }

  async getChildren(element?: Element): Promise<Element[]> {
    if (element instanceof More) {
      return [];
    }
    const client = await this.server.client();
    if (!client || !hasOverview(client)) {
      return [];
    }
    let page = element ? await this.#page(client, { parent: element.id }) : this.#top;
    const children: Element[] = [...page.nodes];
    for (let pages = this.#pages.get(element?.id ?? "") ?? 1; page.next && pages > 1; pages--) {
      page = await this.#page(client, { ...(element && { parent: element.id }), after: page.next });
      children.push(...page.nodes);
    }
    children.forEach((child) => {
      this.#keep(child, element);
    });
    return page.next ? [...children, new More(element)] : children;
  }

  #keep(child: Element, parent: Element | undefined): void {
    if (!(child instanceof More) && parent) {
      this.#parents.set(child.id, parent);
    }
  }

  #query(): object {
    return { group: this.shown.group, filter: this.shown.filter };
  }

  #page(client: LanguageClient, more: object): Promise<Answer> {
    return client.sendRequest<Answer>("uncuda/overview", { ...this.#query(), ...more });
  }

  async #ask(): Promise<void> {
    this.#last = Date.now();
    this.#timer = undefined;
    const client = await this.server.client();
    const nothing = { version: 0, update: "", nodes: [] };
    if (!client) {
      this.#show({ ...nothing, welcome: this.server.problem ? "noServer" : "reading" });
    } else if (!hasOverview(client)) {
      const update = t("The uncuda that runs is older than this extension and has no overview: update it.");
      this.#show({ ...nothing, update });
    } else {
      this.#show(await this.#page(client, {}));
    }
  }

  #show(answer: Answer): void {
    this.#top = answer;
    this.#view.message = answer.update || (answer.message ?? "");
    this.#view.badge = answer.badge?.value ? answer.badge : undefined;
    void vscode.commands.executeCommand("setContext", "uncuda.welcome", answer.update ? "" : (answer.welcome ?? ""));
    this.#changed.fire(undefined);
  }
}
