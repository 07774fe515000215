/**
 * Finds commands. No command is taken from the current folder, because it is the workspace, which may not be trusted.
 */

import { realpathSync } from "node:fs";
import * as path from "node:path";

export interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly isFile: (file: string) => boolean;
}

/** The absolute paths of the Pythons on PATH, the most likely ones first. */
export function pythonsOnPath(system: System): string[] {
  const names = system.platform === "win32" ? ["py", "python3", "python"] : ["python3", "python", "py"];
  return [...new Set(names.flatMap((name) => onPath(name, system)))];
}

/** The absolute paths of a command, one for each absolute entry of PATH that contains the command. */
export function onPath(name: string, system: System): string[] {
  const paths = pathsOf(system.platform);
  const value = system.env["PATH"] ?? system.env["Path"] ?? "";
  const endings = system.platform === "win32" ? [".exe", ""] : [""];
  const folders = value.split(paths.delimiter).filter((entry) => paths.isAbsolute(entry));
  const files = folders.flatMap((folder) => endings.map((ending) => paths.join(folder, name + ending)));
  return files.filter((file) => system.isFile(file));
}

/** The paths of the Python program below the folder of an environment. */
const IN_ENVIRONMENT = ["bin/python3", "bin/python", "Scripts/python.exe", "python.exe"];

/**
 * The path that a setting names: `~` and `${workspaceFolder}` are replaced, a bare name is searched on PATH, a relative
 * path is resolved in the workspace folder, and for the folder of an environment the Python in it is returned.
 * Undefined if there is no such file.
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
 * Return whether a program is inside one of these folders: by its path, by the real path of its folder (a Python reads
 * files beside it), or by its own real path.
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

/** Return a path without symbolic links, and on a case-insensitive disk with the case that the disk has. */
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
