/** Asks the server again whenever the overview has changed. */

interface Cancellation {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): unknown;
}

export class Again {
  #changes = 0;
  readonly #waiting = new Set<() => void>();

  /** The overview has changed. */
  changed(): void {
    this.#changes += 1;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    waiting.forEach((wake) => {
      wake();
    });
  }

  /** Return the first reply that does not say to wait, or the last one if the user has cancelled. */
  async until<Reply extends { readonly isWaiting?: boolean | undefined }>(
    ask: () => Promise<Reply>,
    cancellation: Cancellation,
  ): Promise<Reply> {
    for (;;) {
      const seen = this.#changes;
      const reply = await ask();
      if (!reply.isWaiting || cancellation.isCancellationRequested) {
        return reply;
      }
      if (seen === this.#changes) {
        await new Promise<void>((wake) => {
          this.#waiting.add(wake);
          cancellation.onCancellationRequested(wake);
        });
      }
    }
  }
}
