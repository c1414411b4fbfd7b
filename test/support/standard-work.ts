/** Count of numbers to sort, which takes some ten milliseconds on a processor of 2026. */
const NUMBERS = 100_000;
const TRIES = 3;

/**
 * The processor time of some work as a multiple of that of a standard piece of work, done right
 * after it. So the figure is independent of the machine's speed and other load.
 */
export async function standardWorks(work: () => unknown): Promise<number> {
  const spent = await processorMs(work);
  return spent / (await standardMs());
}

/**
 * Measures until a figure is below a bound, or `tries` times; returns the lowest figure. Other
 * tests share the memory's bandwidth, which lengthens work and never shortens it.
 */
export async function leastOf(
  tries: number,
  measure: () => Promise<number>,
  bound: number,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let made = 0; made < tries && least >= bound; made++) {
    least = Math.min(least, await measure());
  }
  return least;
}

/** Milliseconds of processor time that standard work currently takes here. */
export function standardMs(): Promise<number> {
  return leastProcessorMs(sortNumbers, TRIES);
}

/** Milliseconds of processor time that some work takes: the lowest figure of `tries`. */
export function leastProcessorMs(work: () => unknown, tries: number): Promise<number> {
  return leastOf(tries, () => processorMs(work), 0);
}

/** Milliseconds of processor time this process uses for some work. */
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
