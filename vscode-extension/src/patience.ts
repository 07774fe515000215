/** Waits for a promise, up to a time limit. */

/** Return the value of a promise; reject with the error `late` if it takes longer than `patience` milliseconds. */
export async function within<Value>(patience: number, given: PromiseLike<Value>, late: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(late));
    }, patience);
  });
  try {
    return await Promise.race([given, ended]);
  } finally {
    clearTimeout(timer);
  }
}
