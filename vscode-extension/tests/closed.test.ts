import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";

import { forgetting } from "../src/closed.ts";

/** Stands for the client: `ask` sends a request and returns a function that replies; `forgotten` counts the calls. */
function made() {
  const document = { uri: { toString: () => "file:///a.py" }, isClosed: false };
  const state = { forgotten: 0, open: new Set<string>(), document };
  const provide = forgetting(
    () => {
      state.forgotten += 1;
    },
    (uri) => state.open.has(uri),
  );
  const ask = () => {
    let answer!: () => void;
    const answered = new Promise<null>((resolve) => {
      answer = () => {
        resolve(null);
      };
    });
    const done = provide(document as never, undefined, undefined as never, () => answered);
    return async () => {
      answer();
      await done;
      await new Promise((resolve) => setTimeout(resolve));
      await turn();
    };
  };
  return { state, ask };
}

test("a document that was answered while closed is forgotten", async () => {
  const { state, ask } = made();
  const answer = ask();
  state.document.isClosed = true;
  await answer();
  assert.equal(state.forgotten, 1);
});

test("one that is open is not, and neither is one that was opened again", async () => {
  const { state, ask } = made();
  await ask()();
  const answer = ask();
  state.document.isClosed = true;
  state.open.add("file:///a.py");
  await answer();
  assert.equal(state.forgotten, 0);
});

test("one that is asked about again is forgotten with the last answer", async () => {
  const { state, ask } = made();
  const [first, second] = [ask(), ask()];
  state.document.isClosed = true;
  await first();
  assert.equal(state.forgotten, 0);
  await second();
  assert.equal(state.forgotten, 1);
});
