import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { askVersion, whyNoUncuda } from "../src/python/ask.ts";
import type { Candidate } from "../src/python/candidate.ts";
import { isNewEnough } from "../src/python/version.ts";

const python: Candidate = { command: process.env["UNCUDA_TEST_PYTHON"] ?? "python3", args: [], source: "path" };
const folder = mkdtempSync(join(tmpdir(), "uncuda-"));

function script(name: string, text: string): Candidate {
  const command = join(folder, name);
  writeFileSync(command, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return { command, args: [], source: "setting" };
}

test("a Python says its version", async () => {
  const answer = await askVersion(python);
  assert.ok("version" in answer && isNewEnough(answer.version));
});

test("one that is so old that it cannot be isolated says its version, too", async () => {
  const old = script("python2", `case "$1" in -I) echo "Unknown option: -I" >&2; exit 2;; esac; echo 2.7.18`);
  assert.deepEqual(await askVersion(old), { version: [2, 7, 18] });
});

test("what is no Python says why", async () => {
  assert.deepEqual(await askVersion(script("stub", "echo 'Python was not found' >&2; exit 9")), {
    error: "Python was not found",
  });
  assert.deepEqual(await askVersion(script("liar", "echo hello")), { error: "hello" });
  assert.deepEqual(await askVersion(script("silent", "true")), { error: "" });
  assert.deepEqual(await askVersion(script("loud", "printf 'no\\nand more\\n' >&2; exit 1")), { error: "no" });
  const missing = await askVersion({ ...python, command: join(folder, "none") });
  assert.ok("error" in missing && missing.error.includes("ENOENT"));
});

test("what does not answer is waited for, not for ever", async () => {
  const answer = await askVersion(script("hanging", "exec sleep 60"), undefined, 200);
  assert.deepEqual(answer, { error: "no answer within 0.2 seconds" });
});

test("why its uncuda cannot be run", async () => {
  const why = await whyNoUncuda(python, folder);
  assert.equal(why === undefined, process.env["UNCUDA_TEST_PYTHON"] !== undefined);
  const without = script("without", "echo \"ModuleNotFoundError: No module named 'uncuda'\" >&2; exit 1");
  assert.equal(await whyNoUncuda(without, folder), "ModuleNotFoundError: No module named 'uncuda'");
  assert.equal(await whyNoUncuda(script("lacking", "echo 'a\nImportError: lsprotocol' >&2; exit 1"), folder), "ImportError: lsprotocol");
});
