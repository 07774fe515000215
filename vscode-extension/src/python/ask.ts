/** Asks a Python which version it is. */

import { execFile } from "node:child_process";

import type { Answer, Candidate } from "./candidate.ts";
import { parseVersion } from "./version.ts";

const PATIENCE = 20_000;
const CODE = "import sys; print('%d.%d.%d' % sys.version_info[:3])";

export function askVersion({ command, args }: Candidate): Promise<Answer> {
  return run(command, [...args, "-I", "-c", CODE]).then(({ error, stdout, stderr }) => {
    const version = error === undefined ? parseVersion(stdout) : undefined;
    const words = [stderr, error, stdout].map((text) => text?.trim()).find((text) => text);
    return version ? { version } : { error: words ?? "it said nothing" };
  });
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
