import assert from "node:assert/strict";
import test from "node:test";

import { within } from "../src/patience.ts";

test("what comes in time is given, and what fails in time fails as it does", async () => {
  assert.equal(await within(10_000, Promise.resolve(1), "late"), 1);
  await assert.rejects(within(10_000, Promise.reject(new Error("broken")), "late"), /broken/);
});

test("what does not come is late", async () => {
  await assert.rejects(within(1, new Promise(() => undefined), "late"), /late/);
});
