/** Waiting that ends. */

/** What a promise gives; rejects with `late` if that takes longer than so many milliseconds. */
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
