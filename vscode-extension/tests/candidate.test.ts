import assert from "node:assert/strict";
import test from "node:test";

import { choose, type Answer, type Candidate, type Source, type Step } from "../src/python/candidate.ts";

const candidate = (command: string, source: Source): Candidate => ({ command, args: [], source });
const step = (...found: Candidate[]): Step => () => Promise.resolve(found);

/** The version of each command; a command that is not listed cannot be run. */
function asking(versions: Record<string, readonly [number, number, number]>, asked: string[] = []) {
  return ({ command }: Candidate): Promise<Answer> => {
    asked.push(command);
    const version = versions[command];
    return Promise.resolve(version ? { version } : { error: "no such file" });
  };
}

test("the first that is new enough is taken, and nothing is asked after it", async () => {
  const asked: string[] = [];
  const steps = [
    step(),
    step(candidate("environment", "environments")),
    step(candidate("active", "python")),
    step(candidate("python3", "path")),
  ];
  const ask = asking({ environment: [3, 9, 1], active: [3, 10, 0], python3: [3, 14, 0] }, asked);
  const choice = await choose(steps, ask);
  assert.deepEqual(choice, { interpreter: { ...candidate("active", "python"), version: [3, 10, 0] } });
  assert.deepEqual(asked, ["environment", "active"]);
});

test("what the setting names is meant: nothing takes its place", async () => {
  const steps = [step(candidate("mine", "setting")), step(candidate("python3", "path"))];
  assert.deepEqual(await choose(steps, asking({ mine: [3, 8, 2], python3: [3, 12, 0] })), {
    problem: { kind: "tooOld", command: "mine", detail: "3.8.2" },
  });
  assert.deepEqual(await choose(steps, asking({ python3: [3, 12, 0] })), {
    problem: { kind: "broken", command: "mine", detail: "no such file" },
  });
});

test("one that is too old is named rather than none", async () => {
  const steps = [step(candidate("broken", "python")), step(candidate("old", "path"), candidate("older", "path"))];
  assert.deepEqual(await choose(steps, asking({ old: [3, 9, 0], older: [2, 7, 18] })), {
    problem: { kind: "tooOld", command: "old", detail: "3.9.0" },
  });
});

test("none at all", async () => {
  const nothing = { problem: { kind: "missing", command: "", detail: "" } };
  assert.deepEqual(await choose([], asking({})), nothing);
  assert.deepEqual(await choose([step(candidate("stub", "path"))], asking({})), nothing);
});

test("what may not be run is passed over, and named where nothing else is there", async () => {
  const refuse = ({ command }: Candidate): Promise<Answer> =>
    Promise.resolve(command === "python3" ? { version: [3, 12, 0] } : { untrusted: true });
  const [mine, active, path] = [candidate("mine", "setting"), candidate("active", "python"), candidate("python3", "path")];
  assert.deepEqual(await choose([step(mine), step(path)], refuse), { interpreter: { ...path, version: [3, 12, 0] } });
  assert.deepEqual(await choose([step(mine), step(active)], refuse), {
    problem: { kind: "untrusted", command: "mine", detail: "" },
  });
});
