/**
 * Starts and stops the server: finds a Python, starts the server with it, restarts the server if another Python is
 * chosen, and tells the user why there is no server.
 */

import * as vscode from "vscode";
import { State, type GenericNotificationHandler, type LanguageClient } from "vscode-languageclient/node";

import { kill, makeClient, start } from "./client.ts";
import { Crashes } from "./crashes.ts";
import { isSame, launchOf, type Launch } from "./launch.ts";
import { showCrash, showProblem, showStartFailure, textOfProblem } from "./messages.ts";
import type { Interpreter } from "./python/candidate.ts";
import type { PythonExtensions } from "./python/extensions.ts";
import { findServer } from "./python/find.ts";
import { importStrategy } from "./settings.ts";

export class Server implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #crashes = new Crashes();
  #client: LanguageClient | undefined;
  /** The client that was stopped because the user ran Restart while it was starting. */
  #givenUp: LanguageClient | undefined;
  #launch: Launch | undefined;
  #queue = Promise.resolve();
  /**
   * Fires when the server starts or runs, when no Python is found, or when the status of the workspace changes:
   * listeners should then request the status again.
   */
  readonly onDidChange = this.#changed.event;
  interpreter: Interpreter | undefined;
  /** Why no server runs; undefined if one runs or starts. */
  problem: string | undefined;

  constructor(
    private readonly extension: string,
    private readonly pythons: PythonExtensions,
    private readonly log: vscode.LogOutputChannel,
    private readonly listeners: Readonly<Record<string, GenericNotificationHandler>>,
  ) {}

  /** The client, after waiting for a start that is in progress; undefined if no server runs. */
  async client(): Promise<LanguageClient | undefined> {
    await this.#queue;
    if (this.#client?.state === State.Starting) {
      await this.#client.start().catch(() => undefined);
    }
    return this.#client?.state === State.Running ? this.#client : undefined;
  }

  /** Start the server if none runs, or if it runs with another command; with `anew`, restart it in any case. */
  ensure(anew = false): Promise<void> {
    if (anew && this.#client?.state === State.Starting) {
      this.#givenUp = this.#client;
      kill(this.#client); // the user restarts the server because it does not finish starting
    }
    this.#queue = this.#queue.then(() => this.#ensure(anew)).catch((error: unknown) => {
      this.#failed(error);
    });
    return this.#queue;
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = this.#launch = undefined;
    if (client?.needsStop()) {
      await client.stop().catch((error: unknown) => {
        this.log.warn(String(error));
      });
    }
    await client?.dispose().catch(() => undefined);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  async #ensure(anew: boolean): Promise<void> {
    const choice = await findServer(this.pythons, this.log, this.extension);
    if ("problem" in choice) {
      await this.stop();
      const text = textOfProblem(choice.problem);
      if (anew || text !== this.problem) {
        showProblem(choice.problem);
      }
      this.#tell(undefined, text);
      return;
    }
    const launch = launchOf(choice.interpreter, importStrategy(), this.extension);
    if (!anew && isSame(this.#launch, launch)) {
      return;
    }
    await this.stop();
    this.#tell(choice.interpreter, undefined);
    await this.#start(launch);
    this.#changed.fire();
  }

  async #start(launch: Launch): Promise<void> {
    this.log.info([launch.command, ...launch.args].join(" "));
    let started = false;
    const client = makeClient(launch, this.log, () => {
      if (started) {
        this.#crashed();
      }
    });
    this.#client = client;
    this.#launch = launch;
    client.onDidChangeState(() => {
      this.#changed.fire();
    });
    client.onNotification("uncuda/statusChanged", () => {
      this.#changed.fire();
    });
    for (const [method, listener] of Object.entries(this.listeners)) {
      client.onNotification(method, listener);
    }
    await start(client);
    started = true;
  }

  #crashed(): void {
    const again = this.#crashes.add(Date.now());
    this.log.error("the server has crashed");
    this.#launch = undefined;
    if (again) {
      void this.ensure().then(() => {
        if (!this.problem) {
          showCrash(true);
        }
      });
    } else {
      showCrash(false);
      this.#crashes.forget();
      this.#tell(this.interpreter, vscode.l10n.t("The server has crashed."));
    }
  }

  #failed(error: unknown): void {
    this.log.error(error instanceof Error ? error : String(error));
    this.#launch = undefined;
    if (this.#client && this.#client === this.#givenUp) {
      return;
    }
    this.#tell(this.interpreter, error instanceof Error ? error.message : String(error));
    showStartFailure(error);
  }

  #tell(interpreter: Interpreter | undefined, problem: string | undefined): void {
    this.interpreter = interpreter;
    this.problem = problem;
    this.#changed.fire();
  }
}
