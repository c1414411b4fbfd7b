/**
 * Resolves with a promise's value, and rejects if a timer started now fires first. Both are on one
 * event loop: if it is starved of the processor, both are late, in order.
 */
export async function settledWithin<T>(ms: number, promise: T): Promise<Awaited<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
