/**
 * Reads which Python the Python extensions have selected. Both extensions are optional; the interfaces below declare
 * only the members that are used.
 */

import * as vscode from "vscode";

import { within } from "../patience.ts";
import type { Candidate } from "./candidate.ts";

const ENVIRONMENTS = "ms-python.vscode-python-envs";
const PYTHON = "ms-python.python";
const PATIENCE = 10_000;

interface PythonEnvironments {
  getEnvironment(scope?: vscode.Uri): Promise<{ execInfo?: { run?: { executable?: string } } } | undefined>;
  readonly onDidChangeEnvironment?: vscode.Event<unknown>;
}

interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
  };
}

export class PythonExtensions implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #listening = new Map<string, vscode.Disposable>();
  /** Fires when another Python may have been selected. */
  readonly onDidChange = this.#changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  async fromEnvironments(folder: vscode.Uri | undefined): Promise<Candidate[]> {
    const api = await this.#activate<PythonEnvironments>(ENVIRONMENTS);
    this.#listen(ENVIRONMENTS, api?.onDidChangeEnvironment);
    const found = await this.#within(ENVIRONMENTS, () => api?.getEnvironment(folder));
    return candidates(found?.execInfo?.run?.executable, "environments");
  }

  async fromPython(folder: vscode.Uri | undefined): Promise<Candidate[]> {
    const api = (await this.#activate<PythonExtension>(PYTHON))?.environments;
    this.#listen(PYTHON, api?.onDidChangeActiveEnvironmentPath);
    const found = await this.#within(PYTHON, () => api?.resolveEnvironment(api.getActiveEnvironmentPath(folder)));
    return candidates(found?.executable?.uri?.fsPath, "python");
  }

  dispose(): void {
    this.#changed.dispose();
    this.#listening.forEach((listener) => {
      listener.dispose();
    });
  }

  #listen(id: string, event: vscode.Event<unknown> | undefined): void {
    if (event && !this.#listening.has(id)) {
      this.#listening.set(
        id,
        event(() => {
          this.#changed.fire();
        }),
      );
    }
  }

  async #activate<Api>(id: string): Promise<Api | undefined> {
    const extension = vscode.extensions.getExtension<Api>(id);
    return this.#within(id, () => extension && Promise.resolve(extension.activate()));
  }

  /** Return what another extension's function returns; undefined if it fails or takes too long. */
  async #within<Value>(id: string, give: () => Promise<Value> | undefined): Promise<Value | undefined> {
    try {
      return await within(PATIENCE, Promise.resolve(give()), "no answer");
    } catch (error) {
      this.log.warn(`${id}: ${String(error)}`);
      return undefined;
    }
  }
}

function candidates(command: string | undefined, source: Candidate["source"]): Candidate[] {
  return command ? [{ command, args: [], source }] : [];
}
