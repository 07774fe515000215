/**
 * The types of the server's reply to `uncuda/overview`, and the settings of the view. The view shows the nodes as the
 * server sends them.
 */

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** The version of the overview protocol that this extension implements. */
export const PROTOCOL = 1;

/** A command of the server with its arguments; "" for the preview of one finding, which the extension shows itself. */
export interface Action {
  readonly name: "fix" | "preview" | "accept" | "suppress" | "why";
  readonly title: string;
  readonly command: string;
  readonly arguments: readonly [object];
}

/** How the server identifies a finding. */
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
  /** Which program the user has to update before the view can show anything; empty if none. */
  readonly update: string;
  readonly nodes: readonly Node[];
  readonly next?: string;
  readonly message?: string;
  /** Why there are no nodes. */
  readonly welcome?: string;
  readonly badge?: vscode.ViewBadge;
  readonly choices?: readonly Choice[];
}

/** Which nodes the view shows; stored for each workspace. `filter`: the values that are shown. */
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

/** Return whether a server has the request `uncuda/overview`; an older server does not. */
export function hasOverview(client: LanguageClient): boolean {
  const experimental: unknown = client.initializeResult?.capabilities.experimental;
  return typeof experimental === "object" && experimental !== null && "uncudaOverview" in experimental;
}

export function range(given: Range): vscode.Range {
  const { start, end } = given;
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
