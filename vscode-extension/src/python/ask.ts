/** Runs a Python to get its version, or to test whether it can import uncuda. */

import { execFile } from "node:child_process";
import { dirname } from "node:path";

import * as vscode from "vscode";

import type { Answer, Candidate } from "./candidate.ts";
import { parseVersion } from "./version.ts";

const PATIENCE = 20_000;
const CODE = "import sys; print('%d.%d.%d' % sys.version_info[:3])";
const ISOLATED = ["-I"];
/** The options that are most similar to `-I`, for a Python before 3.4. */
const BEFORE_3_4 = ["-E", "-s"];

export async function askVersion(candidate: Candidate, isolation = ISOLATED, patience = PATIENCE): Promise<Answer> {
  const { command, args } = candidate;
  const asked = [...args, ...isolation, "-c", CODE];
  const { error, stdout, stderr } = await run(command, asked, dirname(command), patience);
  const version = error === undefined ? parseVersion(stdout) : undefined;
  if (version) {
    return { version };
  }
  if (isolation === ISOLATED && stderr.startsWith("Unknown option: -I")) {
    return askVersion(candidate, BEFORE_3_4, patience);
  }
  const [line] = [stderr, error, stdout].flatMap((text) => text?.trim().split("\n") ?? []).filter((text) => text);
  return { error: line ?? "" };
}

/**
 * Return why uncuda, as installed for a Python, cannot be run; undefined if it can. `folder`: a folder that contains no
 * uncuda.
 */
export async function whyNoUncuda({ command, args }: Candidate, folder: string): Promise<string | undefined> {
  const { error, stderr } = await run(command, [...args, "-c", "import uncuda.lsp"], folder);
  return error === undefined ? undefined : (stderr.trim().split("\n").at(-1) ?? "") || error;
}

interface Output {
  readonly error?: string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], cwd: string, patience = PATIENCE): Promise<Output> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, timeout: patience, windowsHide: true }, (error, stdout, stderr) => {
      const late = error?.killed ? vscode.l10n.t("no answer within {0} seconds", patience / 1000) : undefined;
      resolve({ ...(error && { error: late ?? error.message }), stdout, stderr });
    });
  });
}
