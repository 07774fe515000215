/** Creates the language client: which documents it serves, and which features the extension itself provides. */

import { createInterface } from "node:readline";

import * as vscode from "vscode";
import {
  CloseAction,
  DocumentDiagnosticRequest,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  TransportKind,
  type DynamicFeature,
  type InitializeParams,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";

import { forgetting } from "./closed.ts";
import type { Launch } from "./launch.ts";
import { PROTOCOL } from "./overview.ts";
import { within } from "./patience.ts";

/**
 * The time limit for the server's start, in milliseconds. A start takes half a second, or some seconds from a slow
 * disk.
 */
const PATIENCE = 60_000;

export const SELECTOR = ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ language: "python", scheme }));

/**
 * A client that does not register the server's commands: the extension registers them, so that they exist and show the
 * reason if no server runs. The extension also reports itself that the server cannot be started, or has ended.
 */
class Client extends LanguageClient {
  /** The last line that the server printed to standard error: the reason if the server does not start. */
  lastWords = "";
  /** Resolves when the server's standard error is closed. */
  silent = Promise.resolve();

  override error(message: string, data?: unknown, show: boolean | "force" = true): void {
    super.error(message, data, show === "force" ? false : show);
  }

  /** Tell the server which requests and notifications beyond LSP this client supports. */
  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.capabilities.experimental = {
      uncudaShowProblems: true,
      uncudaStatusChanged: true,
      uncudaChooseTarget: true,
      uncudaRulePages: true,
      uncudaOverview: { version: PROTOCOL, shows: ["view", "review", "report"] },
      uncudaRestricted: !vscode.workspace.isTrusted,
    };
  }

  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const isCommands =
      "registrationType" in feature && feature.registrationType.method === ExecuteCommandRequest.method;
    if (!isCommands) {
      super.registerFeature(feature);
    }
  }
}

/** Create a client without starting it. `ended` is called if the server exits although nobody has stopped it. */
export function makeClient(launch: Launch, log: vscode.LogOutputChannel, ended: () => void): Client {
  const options: LanguageClientOptions = {
    documentSelector: SELECTOR,
    outputChannel: log,
    markdown: { isTrusted: { enabledCommands: ["uncuda.showRule"] } },
    middleware: {
      provideDiagnostics: forgetting(
        (document) => client.getFeature(DocumentDiagnosticRequest.method).getProvider(document)?.forget(document),
        (uri) => vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri),
      ),
    },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        ended();
        return { action: CloseAction.DoNotRestart, handled: true, message: "The connection to the server is closed." };
      },
    },
  };
  const { command, args, cwd } = launch;
  const server = { command, args: [...args], transport: TransportKind.stdio, options: { cwd } };
  const client = new Client("uncuda", "uncuda", server, {
    ...options,
    stdioOptions: {
      stdout: () => undefined, // standard output contains the messages of the protocol
      stderr: (input) => {
        const lines = createInterface({ input }).on("line", (line) => {
          client.lastWords = line.trim() || client.lastWords;
          log.error(line);
        });
        client.silent = new Promise((resolve) => lines.once("close", resolve));
      },
    },
  });
  client.onNotification("uncuda/showProblems", () => {
    void vscode.commands.executeCommand("workbench.action.problems.focus");
  });
  return client;
}

/** Start a client; if the server does not answer in time, kill it and reject. */
export async function start(client: Client): Promise<void> {
  try {
    await within(PATIENCE, client.start(), vscode.l10n.t("no answer within {0} seconds", PATIENCE / 1000));
  } catch (error) {
    kill(client);
    // a child process of the server may keep the pipe open
    await within(1000, client.silent, "").catch(() => undefined);
    throw client.lastWords ? new Error(client.lastWords) : error;
  }
}

/** Kill a server that does not answer. */
export function kill(client: LanguageClient): void {
  client.serverProcess?.kill("SIGKILL");
}
