/** A Python that may be there, and what became of it. */

import { isNewEnough, type Version } from "./version.ts";

/** Who named it: the setting, the Python Environments extension, the Python extension, or PATH. */
export type Source = "setting" | "environments" | "python" | "path";

export interface Candidate {
  readonly command: string;
  /** Arguments that make it a Python 3, as `py` needs them. */
  readonly args: readonly string[];
  readonly source: Source;
}

export interface Interpreter extends Candidate {
  readonly version: Version;
}

export interface Problem {
  readonly kind: "missing" | "tooOld" | "broken" | "untrusted" | "withoutUncuda";
  readonly command: string;
  /** The version that is too old, or why it could not be asked; empty if nothing says why. */
  readonly detail: string;
}

export type Choice = { readonly interpreter: Interpreter } | { readonly problem: Problem };

/** Its version, why it did not say (empty: it does not say that either), or that it may not be asked. */
export type Answer = { readonly version: Version } | { readonly error: string } | { readonly untrusted: true };

export type Ask = (candidate: Candidate) => Promise<Answer>;
export type Step = () => Promise<readonly Candidate[]>;

/**
 * The first candidate that is new enough. A step is taken only if those before it gave none. What the setting names is
 * meant: if it does not do, that is the problem, and nothing else is tried. What may not be run is passed over.
 */
export async function choose(steps: readonly Step[], ask: Ask): Promise<Choice> {
  let passedOver: Problem | undefined;
  for (const step of steps) {
    for (const candidate of await step()) {
      const answer = await ask(candidate);
      if ("version" in answer && isNewEnough(answer.version)) {
        return { interpreter: { ...candidate, version: answer.version } };
      }
      const problem = problemOf(candidate, answer);
      if (candidate.source === "setting" && problem.kind !== "untrusted") {
        return { problem };
      }
      if (problem.kind !== "broken") {
        passedOver ??= problem;
      }
    }
  }
  return { problem: passedOver ?? { kind: "missing", command: "", detail: "" } };
}

function problemOf({ command }: Candidate, answer: Answer): Problem {
  if ("untrusted" in answer) {
    return { kind: "untrusted", command, detail: "" };
  }
  return "version" in answer
    ? { kind: "tooOld", command, detail: answer.version.join(".") }
    : { kind: "broken", command, detail: answer.error };
}
