import assert from "node:assert/strict";
import test from "node:test";

import { Again } from "../src/again.ts";

/** A cancellation as VS Code's. */
class Cancellation {
  isCancellationRequested = false;
  #listener = () => undefined as unknown;
  onCancellationRequested(listener: () => unknown): void {
    this.#listener = listener;
  }
  cancel(): void {
    this.isCancellationRequested = true;
    this.#listener();
  }
}

/** Replies that are given one after the other; `asked` is called for each. */
function replies(answers: readonly boolean[], asked: (count: number) => void = () => undefined) {
  let count = 0;
  return () => {
    const reply = { isWaiting: answers[count], count: (count += 1) };
    asked(count);
    return Promise.resolve(reply);
  };
}

/** Wait until nothing is left to do but to wait for a change. */
const rest = () => new Promise((resolve) => setImmediate(resolve));

test("it asks again after each change, and not before", async () => {
  const again = new Again();
  const counts: number[] = [];
  const asked = again.until(replies([true, true, false], (count) => counts.push(count)), new Cancellation());
  await rest();
  assert.deepEqual(counts, [1]);
  again.changed();
  await rest();
  assert.deepEqual(counts, [1, 2]);
  again.changed();
  assert.equal((await asked).count, 3);
});

test("a change while it asks is not lost", async () => {
  const again = new Again();
  const ask = replies([true, false], (count) => {
    if (count === 1) {
      again.changed();
    }
  });
  assert.equal((await again.until(ask, new Cancellation())).count, 2);
});

test("the user can stop it", async () => {
  const again = new Again();
  const cancellation = new Cancellation();
  const asked = again.until(replies([true, true]), cancellation);
  await rest();
  cancellation.cancel();
  assert.equal((await asked).isWaiting, true);
});

test("a server that does not know of waiting is asked once", async () => {
  assert.deepEqual(await new Again().until(() => Promise.resolve({}), new Cancellation()), {});
});
