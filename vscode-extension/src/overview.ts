/** What the server says of the whole project: `uncuda/overview`, which is drawn as it comes. */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** The version of the protocol that this extension speaks. */
export const PROTOCOL = 1;

/** A command of the server, as it stands; "" for the preview of one finding, which is shown here. */
export interface Action {
  readonly name: "fix" | "preview" | "accept" | "suppress" | "why";
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly [object];
}

/** What the server knows a finding by. */
export interface FindingName {
  readonly uri: string;
  readonly print: string;
  readonly version: string;
}

export interface Node {
  readonly id: string;
  readonly kind: "root" | "class" | "rule" | "folder" | "file" | "finding";
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly leaf: boolean;
  readonly icon: string;
  readonly actions: readonly Action[];
  readonly uri?: string;
  readonly range?: Range;
  readonly key?: string;
  readonly finding?: FindingName;
}

interface Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

export interface Choice {
  readonly value: string;
  readonly dimension: string;
  readonly label: string;
  readonly count: number;
}

export interface Answer {
  readonly version: number;
  /** What the user has to update before anything can be shown. */
  readonly update: string;
  readonly nodes: readonly Node[];
  readonly next?: string;
  readonly message?: string;
  /** Why there is no node. */
  readonly welcome?: string;
  readonly badge?: vscode.ViewBadge;
  readonly choices?: readonly Choice[];
}

/** Which nodes are shown; kept for a workspace. `filter`: the values that are shown. */
export class Shown {
  constructor(private readonly state: vscode.Memento) {}

  get group(): "rule" | "folder" {
    return this.state.get("uncuda.group", "rule");
  }

  get filter(): readonly string[] {
    return this.state.get("uncuda.filter", []);
  }

  async setGroup(group: "rule" | "folder"): Promise<void> {
    await this.state.update("uncuda.group", group);
  }

  async setFilter(filter: readonly string[]): Promise<void> {
    await this.state.update("uncuda.filter", filter);
  }
}

/** Whether a server has an overview: an older one has not. */
export function hasOverview(client: LanguageClient): boolean {
  const experimental: unknown = client.initializeResult?.capabilities.experimental;
  return typeof experimental === "object" && experimental !== null && "uncudaOverview" in experimental;
}

export function range(given: Range): vscode.Range {
  const { start, end } = given;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
