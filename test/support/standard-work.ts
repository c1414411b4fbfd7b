/** Numbers to be sorted: some ten milliseconds of a processor of 2026. */
const NUMBERS = 100_000;
const TRIES = 3;

/**
 * The processor time of some work as a multiple of that of a standard piece of work, done at the
 * same time: neither a slow machine nor one that does much else changes it.
 */
export async function standardWorks(work: () => unknown): Promise<number> {
  const spent = await processorMs(work);
  return spent / (await standardMs());
}

/** Milliseconds of processor time that standard work takes here and now: the least of some tries. */
export async function standardMs(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES; tries++) {
    least = Math.min(least, await processorMs(sortNumbers));
  }
  return least;
}

/** Milliseconds that this process has the processor while it does some work. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function sortNumbers(): void {
  let state = 1;
  Float64Array.from({ length: NUMBERS }, () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return state;
  }).sort();
}
