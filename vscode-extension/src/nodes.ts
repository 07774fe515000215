/** Turns nodes of the overview into rows of the Port view. */

import * as vscode from "vscode";

import { range, type Node } from "./overview.ts";

const { t } = vscode.l10n;

const ICONS: Readonly<Record<string, [id: string, color?: string]>> = {
  root: ["root-folder"],
  safe: ["pass", "testing.iconPassed"],
  review: ["eye", "list.warningForeground"],
  manual: ["person", "list.errorForeground"],
  accepted: ["verified"],
  rule: ["law"],
  error: ["error", "problemsErrorIcon.foreground"],
  warning: ["warning", "problemsWarningIcon.foreground"],
  information: ["info", "problemsInfoIcon.foreground"],
};

/** The last row below a page of children, which loads more of them. */
export class More {
  constructor(readonly parent: Node | undefined) {}
}

export function itemOf(node: Node | More): vscode.TreeItem {
  if (node instanceof More) {
    const item = new vscode.TreeItem(t("more …"));
    item.id = `${node.parent?.id ?? ""}…`;
    item.command = { title: t("more …"), command: "uncuda.portMore", arguments: [node] };
    return item;
  }
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(node.label, node.leaf ? None : Collapsed);
  item.id = node.id;
  item.description = node.description;
  item.tooltip = node.tooltip ? `${node.label}\n${node.tooltip}` : node.label;
  item.contextValue = node.actions.map((action) => action.name).join(" ");
  item.accessibilityInformation = { label: `${node.label}, ${node.description}` };
  const [id, color] = ICONS[node.icon] ?? [node.icon];
  item.iconPath = new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
  if (node.uri && node.kind === "finding") {
    item.command = { title: node.label, command: "vscode.open", arguments: placeOf(node) };
  }
  return item;
}

/** Return the file and range that a click on a node opens. */
export function placeOf(node: Node): [vscode.Uri, vscode.TextDocumentShowOptions] {
  const options = node.range ? { selection: range(node.range), preview: true } : { preview: true };
  return [vscode.Uri.parse(node.uri ?? ""), options];
}
