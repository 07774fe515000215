/** The candidates for the Python that runs the server, and the choice among them. */

import { isNewEnough, type Version } from "./version.ts";

/** Where the candidate comes from: the setting, the Python Environments extension, the Python extension, or PATH. */
export type Source = "setting" | "environments" | "python" | "path";

export interface Candidate {
  readonly command: string;
  /** Arguments with which the command starts Python 3, as the launcher `py` needs them. */
  readonly args: readonly string[];
  readonly source: Source;
}

export interface Interpreter extends Candidate {
  readonly version: Version;
}

export interface Problem {
  readonly kind: "missing" | "tooOld" | "broken" | "untrusted" | "withoutUncuda";
  readonly command: string;
  /** The version that is too old, or why the version could not be read; empty if no reason is known. */
  readonly detail: string;
}

export type Choice = { readonly interpreter: Interpreter } | { readonly problem: Problem };

/** The candidate's version; or why it printed none (empty: no reason is known); or that it must not be run. */
export type Answer = { readonly version: Version } | { readonly error: string } | { readonly untrusted: true };

export type Ask = (candidate: Candidate) => Promise<Answer>;
export type Step = () => Promise<readonly Candidate[]>;

/**
 * Choose the first candidate that is new enough. A step runs only if the steps before it gave no such candidate. If the
 * candidate of the setting cannot be used, the choice fails, and no other candidate is tried. Candidates that must not
 * be run are skipped.
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
