/** The language client: what it serves, and what it leaves to the rest of the extension. */

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  TransportKind,
  type DynamicFeature,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";

import type { Launch } from "./launch.ts";

export const SELECTOR = ["file", "untitled", "vscode-notebook-cell"].map((scheme) => ({ language: "python", scheme }));

/** A client whose commands are registered by the extension: they are there, and say why, also when no server runs. */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    const isCommands =
      "registrationType" in feature && feature.registrationType.method === ExecuteCommandRequest.method;
    if (!isCommands) {
      super.registerFeature(feature);
    }
  }
}

/** A client that is not started yet. `ended`: the server is gone, and nobody has asked for it. */
export function makeClient(launch: Launch, log: vscode.LogOutputChannel, ended: () => void): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: SELECTOR,
    outputChannel: log,
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
  return new Client("uncuda", "uncuda", server, options);
}
