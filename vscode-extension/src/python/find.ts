/**
 * Finds the Python that runs the server: in the setting, the Python Environments extension, the Python extension, PATH.
 */

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";

import * as vscode from "vscode";

import { importStrategy, interpreterSetting } from "../settings.ts";
import { askVersion, whyNoUncuda } from "./ask.ts";
import { choose, type Answer, type Candidate, type Choice } from "./candidate.ts";
import type { PythonExtensions } from "./extensions.ts";
import { fromSetting, liesIn, pythonsOnPath, type System } from "./paths.ts";

/**
 * Choose the Python that runs the server. With the import strategy `fromEnvironment`, uncuda must be installed for it.
 */
export async function findServer(
  extensions: PythonExtensions,
  log: vscode.LogOutputChannel,
  folder: string,
): Promise<Choice> {
  const choice = await findPython(extensions, log);
  if ("problem" in choice || importStrategy() === "useBundled") {
    return choice;
  }
  const { command } = choice.interpreter;
  const detail = await whyNoUncuda(choice.interpreter, folder);
  return detail === undefined ? choice : { problem: { kind: "withoutUncuda", command, detail } };
}

export async function findPython(extensions: PythonExtensions, log: vscode.LogOutputChannel): Promise<Choice> {
  const system: System = { platform: process.platform, env: process.env, home: homedir(), isFile };
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri;
  const steps = [
    () => Promise.resolve(named(folder?.fsPath, system)),
    () => extensions.fromEnvironments(folder),
    () => extensions.fromPython(folder),
    () => Promise.resolve(pythonsOnPath(system).map((command) => candidate(command, "path"))),
  ];
  return choose(steps, async (found) => {
    const answer = await ask(found);
    log.info(`${found.source}: ${found.command}: ${textOf(answer)}`);
    return answer;
  });
}

async function ask(found: Candidate): Promise<Answer> {
  // The operating system would search a name without a path, maybe first in the current folder.
  if (!isFile(found.command)) {
    return { error: "ENOENT" };
  }
  return mayRun(found) ? askVersion(found) : { untrusted: true };
}

function named(folder: string | undefined, system: System): Candidate[] {
  const value = interpreterSetting();
  return value ? [candidate(fromSetting(value, folder, system) ?? value, "setting")] : [];
}

function candidate(command: string, source: Candidate["source"]): Candidate {
  const isLauncher = /(^|[\\/])py(\.exe)?$/i.test(command);
  return { command, args: isLauncher ? ["-3"] : [], source };
}

/**
 * Return whether a program may be run: a program inside a workspace that is not trusted may not, wherever its path
 * comes from.
 */
function mayRun({ command }: Candidate): boolean {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  return vscode.workspace.isTrusted || !liesIn(command, folders, process.platform);
}

function isFile(file: string): boolean {
  try {
    return isAbsolute(file) && (statSync(file, { throwIfNoEntry: false })?.isFile() ?? false);
  } catch {
    return true; // programs of the Microsoft Store on PATH cannot be examined, but can be run
  }
}

function textOf(answer: Answer): string {
  if ("untrusted" in answer) {
    return "not run, the workspace is not trusted";
  }
  return "version" in answer ? `Python ${answer.version.join(".")}` : answer.error || "no answer";
}
