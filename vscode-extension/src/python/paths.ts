/** Where commands lie. Nothing is ever taken from the current folder: it is the workspace, and may not be trusted. */

import { realpathSync } from "node:fs";
import * as path from "node:path";

export interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly isFile: (file: string) => boolean;
}

/** The Pythons on PATH, by absolute path, those first that are most likely meant. */
export function pythonsOnPath(system: System): string[] {
  const names = system.platform === "win32" ? ["py", "python3", "python"] : ["python3", "python", "py"];
  return [...new Set(names.flatMap((name) => onPath(name, system)))];
}

/** The absolute paths of a command, one for each absolute entry of PATH that has it. */
export function onPath(name: string, system: System): string[] {
  const paths = pathsOf(system.platform);
  const value = system.env["PATH"] ?? system.env["Path"] ?? "";
  const endings = system.platform === "win32" ? [".exe", ""] : [""];
  const folders = value.split(paths.delimiter).filter((entry) => paths.isAbsolute(entry));
  const files = folders.flatMap((folder) => endings.map((ending) => paths.join(folder, name + ending)));
  return files.filter((file) => system.isFile(file));
}

/** Where a Python lies in the folder of its environment. */
const IN_ENVIRONMENT = ["bin/python3", "bin/python", "Scripts/python.exe", "python.exe"];

/**
 * The path that a setting means: `~` and `${workspaceFolder}` are replaced, a bare name is looked for on PATH, what is
 * relative lies in the workspace folder, and an environment's folder has its Python in it. Undefined if there is none.
 */
export function fromSetting(value: string, folder: string | undefined, system: System): string | undefined {
  const paths = pathsOf(system.platform);
  const text = value.replaceAll("${workspaceFolder}", folder ?? "").replace(/^~(?=$|[\\/])/, () => system.home);
  if (!text.includes("/") && !text.includes(paths.sep)) {
    return onPath(text, system)[0];
  }
  const file = paths.isAbsolute(text) ? text : folder && paths.join(folder, text);
  const files = file ? [file, ...IN_ENVIRONMENT.map((inside) => paths.join(file, inside))] : [];
  return files.find((one) => system.isFile(one));
}

/**
 * Whether a program lies in one of these folders: by its path, by the folder that its path leads to (a Python reads what
 * lies beside it), or by the file that it is.
 */
export function liesIn(file: string, folders: readonly string[], platform: NodeJS.Platform): boolean {
  const paths = pathsOf(platform);
  const beside = paths.join(real(paths.dirname(file)), paths.basename(file));
  const inside = (folder: string, one: string) => {
    const between = paths.relative(folder, one);
    return between !== ".." && !between.startsWith(`..${paths.sep}`) && !paths.isAbsolute(between);
  };
  return folders
    .flatMap((folder) => [folder, real(folder)])
    .some((folder) => [file, beside, real(file)].some((one) => inside(folder, one)));
}

/** Without symbolic links, and in the letters the disk has, where case does not count. */
function real(file: string): string {
  try {
    return realpathSync.native(file);
  } catch {
    return file;
  }
}

function pathsOf(platform: NodeJS.Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}
