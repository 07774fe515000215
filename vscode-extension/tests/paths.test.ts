import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { fromSetting, liesIn, onPath, pythonsOnPath, type System } from "../src/python/paths.ts";

const linux = (files: string[], PATH = "/usr/bin:/opt/bin"): System => ({
  platform: "linux",
  env: { PATH },
  home: "/me",
  isFile: (file) => files.includes(file),
});

const windows = (files: string[], Path: string): System => ({
  platform: "win32",
  env: { Path },
  home: "C:\\Users\\me",
  isFile: (file) => files.includes(file),
});

test("a command is found where PATH has it, in its order", () => {
  const both = ["/opt/bin/python3", "/usr/bin/python3"];
  assert.deepEqual(onPath("python3", linux(both)), ["/usr/bin/python3", "/opt/bin/python3"]);
  assert.deepEqual(onPath("python3", linux(["/opt/bin/python3"])), ["/opt/bin/python3"]);
  assert.deepEqual(onPath("python3", linux([])), []);
});

test("the current folder is never looked at, though PATH names it", () => {
  assert.deepEqual(onPath("python3", linux(["python3", "./python3", "bin/python3"], ".::bin")), []);
  assert.deepEqual(onPath("py", windows(["py.exe", ".\\py.exe"], ".;;bin")), []);
});

test("names are tried in the order of what they most likely are", () => {
  const files = ["/usr/bin/python", "/usr/bin/python3"];
  assert.deepEqual(pythonsOnPath(linux(files)), ["/usr/bin/python3", "/usr/bin/python"]);
  const exes = ["C:\\Python\\python.exe", "C:\\Windows\\py.exe"];
  assert.deepEqual(pythonsOnPath(windows(exes, "C:\\Python;C:\\Windows")), ["C:\\Windows\\py.exe", exes[0]]);
});

test("a setting is a command, or a path from home, from the workspace, from the root", () => {
  const files = ["/usr/bin/python3", "/me/env/python", "/ws/.venv/bin/python", "/opt/py"];
  const found = (value: string, folder?: string) => fromSetting(value, folder, linux(files));
  assert.equal(found("python3"), "/usr/bin/python3");
  assert.equal(found("~/env/python"), "/me/env/python");
  assert.equal(found("${workspaceFolder}/.venv/bin/python", "/ws"), "/ws/.venv/bin/python");
  assert.equal(found(".venv/bin/python", "/ws"), "/ws/.venv/bin/python");
  assert.equal(found(".venv/bin/python"), undefined);
  assert.equal(found("/opt/py", "/ws"), "/opt/py");
  assert.equal(found("/opt/none", "/ws"), undefined);
  assert.equal(found("/ws/.venv"), "/ws/.venv/bin/python");
  assert.equal(found("/opt"), undefined);
});

test("what lies in a folder", () => {
  const isIn = (file: string) => liesIn(file, ["/ws", "/other"], "linux");
  assert.ok(isIn("/ws/.venv/bin/python"));
  assert.ok(isIn("/ws/..odd/python"));
  assert.ok(isIn("/other/python"));
  assert.ok(!isIn("/ws2/python"));
  assert.ok(!isIn("/ws/../usr/bin/python"));
  assert.ok(!isIn("/usr/bin/python"));
  assert.ok(liesIn("c:\\WS\\python.exe", ["C:\\ws"], "win32"));
  assert.ok(!liesIn("D:\\ws\\python.exe", ["C:\\ws"], "win32"));
});

test("what lies in a folder by way of symbolic links", () => {
  const root = mkdtempSync(join(tmpdir(), "uncuda-"));
  const folder = join(root, "ws");
  mkdirSync(folder);
  writeFileSync(join(folder, "program"), "");
  writeFileSync(join(root, "outside"), "");
  symlinkSync(folder, join(root, "link"));
  symlinkSync(join(folder, "program"), join(root, "python"));
  symlinkSync(join(root, "outside"), join(folder, "python"));
  const isIn = (file: string, of = "ws") => liesIn(join(root, file), [join(root, of)], process.platform);
  assert.ok(isIn("python"), "the file is the workspace's");
  assert.ok(isIn("link/python"), "what lies beside it is the workspace's");
  assert.ok(isIn("ws/program", "link"), "the workspace was opened by way of a link");
  assert.ok(!isIn("outside"));
});
