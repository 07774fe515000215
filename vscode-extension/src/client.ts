/** The language client: what it serves, and what it leaves to the rest of the extension. */

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

/** How long a server may take to start, in milliseconds: it takes half a second, and on a cold disk a few. */
const PATIENCE = 60_000;

export const SELECTOR = ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ language: "python", scheme }));

/**
 * A client whose commands are registered by the extension: they are there, and say why, also when no server runs. That
 * a server cannot be started, or has ended, is said by the extension as well.
 */
class Client extends LanguageClient {
  /** The last line on its standard error: where it does not start, why. */
  lastWords = "";
  /** It says no more. */
  silent = Promise.resolve();

  override error(message: string, data?: unknown, show: boolean | "force" = true): void {
    super.error(message, data, show === "force" ? false : show);
  }

  /** What the server may ask this client for, beyond the protocol. */
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

/** A client that is not started yet. `ended`: the server is gone, and nobody has asked for it. */
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
      stdout: () => undefined, // the server's messages, not text
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

/** Start a client; a server that does not answer in time is ended, and the promise rejected. */
export async function start(client: Client): Promise<void> {
  try {
    await within(PATIENCE, client.start(), vscode.l10n.t("no answer within {0} seconds", PATIENCE / 1000));
  } catch (error) {
    kill(client);
    await within(1000, client.silent, "").catch(() => undefined); // a child of its own may hold the pipe
    throw client.lastWords ? new Error(client.lastWords) : error;
  }
}

/** End a server that is not asked first: it does not answer. */
export function kill(client: LanguageClient): void {
  client.serverProcess?.kill("SIGKILL");
}
