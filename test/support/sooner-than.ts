/**
 * Resolves with what a promise does, and rejects if a timer that is set now fires first. Both are
 * of one event loop: one that is starved of the processor is late with both, in their order.
 */
export async function soonerThan<T>(ms: number, promise: T): Promise<Awaited<T>> {
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
