/** Decides whether a crashed server is started again. */

const MOST = 3;
const WINDOW = 3 * 60_000;

export class Crashes {
  #times: number[] = [];

  /** Count a crash; return whether to start the server again. */
  add(now: number): boolean {
    this.#times = [...this.#times.filter((time) => now - time < WINDOW), now];
    return this.#times.length <= MOST;
  }

  forget(): void {
    this.#times = [];
  }
}
