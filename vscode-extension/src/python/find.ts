/** Finds the Python that runs the server: setting, Python Environments, the Python extension, PATH. */

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute } from "node:path";

import * as vscode from "vscode";

import { interpreterSetting } from "../settings.ts";
import { askVersion } from "./ask.ts";
import { choose, type Answer, type Candidate, type Choice } from "./candidate.ts";
import type { PythonExtensions } from "./extensions.ts";
import { fromSetting, isInside, pythonsOnPath, type System } from "./paths.ts";

export async function findPython(extensions: PythonExtensions, log: vscode.LogOutputChannel): Promise<Choice> {
  const system: System = { platform: process.platform, env: process.env, home: homedir(), isFile };
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri;
  const steps = [
    () => Promise.resolve(named(folder?.fsPath, system)),
    () => extensions.fromEnvironments(folder),
    () => extensions.fromPython(folder),
    () => Promise.resolve(pythonsOnPath(system).map((command) => candidate(command, "path"))),
  ];
  return choose(
    steps.map((step) => async () => (await step()).filter((found) => isTrusted(found, log))),
    async (found) => {
      // A name without a path would be looked for by the system, which may begin with the current folder.
      const answer = isFile(found.command) ? await askVersion(found) : { error: "ENOENT" };
      log.info(`${found.source}: ${found.command}: ${textOf(answer)}`);
      return answer;
    },
  );
}

function named(folder: string | undefined, system: System): Candidate[] {
  const value = interpreterSetting();
  return value ? [candidate(fromSetting(value, folder, system) ?? value, "setting")] : [];
}

function candidate(command: string, source: Candidate["source"]): Candidate {
  const isLauncher = /(^|[\\/])py(\.exe)?$/i.test(command);
  return { command, args: isLauncher ? ["-3"] : [], source };
}

/** What lies in a workspace that is not trusted is not run, whoever named it. */
function isTrusted({ command, source }: Candidate, log: vscode.LogOutputChannel): boolean {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const refused = !vscode.workspace.isTrusted && isInside(command, folders, process.platform);
  if (refused) {
    log.warn(`${source}: ${command}: not run, the workspace is not trusted`);
  }
  return !refused;
}

function isFile(file: string): boolean {
  try {
    return isAbsolute(file) && (statSync(file, { throwIfNoEntry: false })?.isFile() ?? false);
  } catch {
    return true; // what Windows' store puts on PATH may not be looked at, and runs
  }
}

function textOf(answer: Answer): string {
  return "version" in answer ? `Python ${answer.version.join(".")}` : answer.error;
}
