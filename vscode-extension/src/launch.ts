/** The command that starts the server. */

import { join } from "node:path";

import type { Interpreter } from "./python/candidate.ts";

export type ImportStrategy = "useBundled" | "fromEnvironment";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The server's working directory: never the workspace, because Python would import modules from it. */
  readonly cwd: string;
}

/** Return the command that starts the server. `extension`: the folder of the extension. */
export function launchOf(interpreter: Interpreter, strategy: ImportStrategy, extension: string): Launch {
  const { command, args } = interpreter;
  const bundled = ["-I", join(extension, "bundle", "launch.py")];
  const program = strategy === "fromEnvironment" ? ["-m", "uncuda"] : bundled;
  return { command, args: [...args, ...program, "server"], cwd: extension };
}

export function isSame(one: Launch | undefined, other: Launch): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other);
}
