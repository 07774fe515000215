import assert from "node:assert/strict";
import test from "node:test";

import { Crashes } from "../src/crashes.ts";
import { isSame, launchOf } from "../src/launch.ts";
import type { Interpreter } from "../src/python/candidate.ts";
import { isNewEnough, parseVersion } from "../src/python/version.ts";

const python: Interpreter = { command: "/usr/bin/python3", args: [], source: "path", version: [3, 12, 0] };

test("the bundled server runs isolated, and not in the workspace", () => {
  assert.deepEqual(launchOf(python, "useBundled", "/ext"), {
    command: "/usr/bin/python3",
    args: ["-I", "/ext/bundle/launch.py", "server"],
    cwd: "/ext",
  });
});

test("the environment's uncuda runs with the arguments that its Python needs", () => {
  const { args, cwd } = launchOf({ ...python, args: ["-3"] }, "fromEnvironment", "/ext");
  assert.deepEqual(args, ["-3", "-m", "uncuda", "server"]);
  assert.equal(cwd, "/ext");
});

test("a launch is the same if nothing that is run differs", () => {
  const one = launchOf(python, "useBundled", "/ext");
  assert.ok(isSame(one, launchOf({ ...python, source: "setting" }, "useBundled", "/ext")));
  assert.ok(!isSame(one, launchOf({ ...python, command: "/opt/python" }, "useBundled", "/ext")));
  assert.ok(!isSame(one, launchOf(python, "fromEnvironment", "/ext")));
  assert.ok(!isSame(undefined, one));
});

test("a server is started again three times in three minutes", () => {
  const crashes = new Crashes();
  assert.deepEqual([0, 1000, 2000, 3000].map((now) => crashes.add(now)), [true, true, true, false]);
  assert.ok(crashes.add(200_000));
  crashes.forget();
  assert.ok(crashes.add(200_001));
});

test("versions", () => {
  assert.deepEqual(parseVersion("3.12.1\n"), [3, 12, 1]);
  assert.equal(parseVersion("Python was not found; run without arguments to install"), undefined);
  assert.equal(parseVersion(""), undefined);
  const newEnough = ["3.10.0", "3.14.2", "4.0.0"].map(parseVersion);
  const tooOld = ["3.9.19", "2.7.18"].map(parseVersion);
  assert.ok(newEnough.every((version) => version && isNewEnough(version)));
  assert.ok(tooOld.every((version) => version && !isNewEnough(version)));
});
