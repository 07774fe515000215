/** Asks a Python which version it is. */

import { execFile } from "node:child_process";
import { dirname } from "node:path";

import type { Answer, Candidate } from "./candidate.ts";
import { parseVersion } from "./version.ts";

const PATIENCE = 20_000;
const CODE = "import sys; print('%d.%d.%d' % sys.version_info[:3])";
const ISOLATED = ["-I"];
/** What comes closest for a Python that does not know `-I`. */
const BEFORE_3_4 = ["-E", "-s"];

export async function askVersion(candidate: Candidate, isolation = ISOLATED): Promise<Answer> {
  const { command, args } = candidate;
  const { error, stdout, stderr } = await run(command, [...args, ...isolation, "-c", CODE], dirname(command));
  const version = error === undefined ? parseVersion(stdout) : undefined;
  if (version) {
    return { version };
  }
  if (isolation === ISOLATED && stderr.startsWith("Unknown option: -I")) {
    return askVersion(candidate, BEFORE_3_4);
  }
  const [line] = [stderr, error, stdout].flatMap((text) => text?.trim().split("\n") ?? []).filter((text) => text);
  return { error: line ?? "it said nothing" };
}

/** Whether a Python has uncuda, in a folder that has none. */
export async function hasUncuda({ command, args }: Candidate, folder: string): Promise<boolean> {
  return (await run(command, [...args, "-c", "import uncuda.lsp"], folder)).error === undefined;
}

interface Output {
  readonly error?: string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, args: readonly string[], cwd?: string): Promise<Output> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, timeout: PATIENCE, windowsHide: true }, (error, stdout, stderr) => {
      resolve({ ...(error && { error: error.message }), stdout, stderr });
    });
  });
}
