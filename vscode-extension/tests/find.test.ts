import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { beforeEach } from "node:test";

import type { LogOutputChannel } from "vscode";

import { PythonExtensions } from "../src/python/extensions.ts";
import { findPython } from "../src/python/find.ts";
import { EventEmitter, state, workspace } from "./fake/vscode.ts";

const said: string[] = [];
const write = (text: string) => said.push(text);
const log = { info: write, warn: write } as unknown as LogOutputChannel;

const root = mkdtempSync(join(tmpdir(), "uncuda-"));
const inWorkspace = python("workspace", "3.13.1");
const onPath = python("bin", "3.10.2");
const chosen = python("chosen", "3.12.0");
const other = python("other", "3.11.0");

function python(folder: string, version: string): string {
  mkdirSync(join(root, folder));
  const file = join(root, folder, "python3");
  writeFileSync(file, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  return file;
}

const changed = new EventEmitter();
const environments = (executable: string | undefined) => ({
  getEnvironment: () => Promise.resolve(executable && { execInfo: { run: { executable } } }),
  onDidChangeEnvironment: changed.event,
});
const pythonExtension = (fsPath: string) => ({
  environments: {
    getActiveEnvironmentPath: () => ({ path: fsPath }),
    resolveEnvironment: ({ path }: { path: string }) => Promise.resolve({ executable: { uri: { fsPath: path } } }),
  },
});

async function found(extensions = new PythonExtensions(log)): Promise<string> {
  const choice = await findPython(extensions, log);
  return "interpreter" in choice ? `${choice.interpreter.source}: ${choice.interpreter.command}` : choice.problem.kind;
}

beforeEach(() => {
  said.length = 0;
  process.env["PATH"] = join(root, "bin");
  Object.assign(state, { interpreter: "", extensions: {} });
  Object.assign(workspace, {
    isTrusted: true,
    workspaceFolders: [{ uri: { scheme: "file", fsPath: join(root, "workspace") } }],
  });
});

test("PATH, where no extension for Python is there", async () => {
  assert.equal(await found(), `path: ${onPath}`);
  process.env["PATH"] = join(root, "empty");
  assert.equal(await found(), "missing");
});

test("the extensions come before PATH, Python Environments first, and the setting before all", async () => {
  state.extensions["ms-python.python"] = pythonExtension(other);
  assert.equal(await found(), `python: ${other}`);
  state.extensions["ms-python.vscode-python-envs"] = environments(chosen);
  assert.equal(await found(), `environments: ${chosen}`);
  state.extensions["ms-python.vscode-python-envs"] = environments(undefined);
  assert.equal(await found(), `python: ${other}`);
  state.interpreter = inWorkspace;
  assert.equal(await found(), `setting: ${inWorkspace}`);
  state.interpreter = "python9";
  assert.equal(await found(), "broken");
});

test("an extension that fails, or is not what it was, costs a line in the log", async () => {
  state.extensions["ms-python.python"] = {};
  state.extensions["ms-python.vscode-python-envs"] = { getEnvironment: () => Promise.reject(new Error("broken")) };
  assert.equal(await found(), `path: ${onPath}`);
  assert.ok(said.some((line) => line.includes("broken")));
});

test("what lies in a workspace that is not trusted is not run, whoever names it", async () => {
  workspace.isTrusted = false;
  state.extensions["ms-python.python"] = pythonExtension(inWorkspace);
  process.env["PATH"] = `${join(root, "workspace")}:${join(root, "bin")}`;
  state.interpreter = "${workspaceFolder}/python3";
  assert.equal(await found(), `path: ${onPath}`);
  assert.equal(said.filter((line) => line.includes("not trusted")).length, 3);
  process.env["PATH"] = join(root, "empty");
  assert.equal(await found(), "untrusted");
  workspace.isTrusted = true;
  assert.equal(await found(), `setting: ${inWorkspace}`);
});

test("another choice in an extension is heard of", async () => {
  state.extensions["ms-python.vscode-python-envs"] = environments(chosen);
  const extensions = new PythonExtensions(log);
  let times = 0;
  extensions.onDidChange(() => (times += 1));
  await found(extensions);
  await found(extensions);
  changed.fire();
  assert.equal(times, 1);
  extensions.dispose();
});
