import type { Millis } from '../units.ts';

/**
 * Settles like a promise or, if that takes longer than `limitMs`, like `late`. The timer is cleared
 * with either, so that none keeps the process alive.
 */
export async function raceTimer<T, Late>(
  promise: Promise<T>,
  limitMs: Millis,
  late: () => Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    return await Promise.race([promise, limit.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
