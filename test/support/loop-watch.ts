/** The event loop's behaviour during some work. */
export interface Watched<T> {
  readonly value: T;
  /**
   * The most processor time spent between two turns, in milliseconds: independent of the machine's
   * other load.
   */
  readonly heldMs: number;
  readonly turns: number;
}

/** Does work, and measures in every turn of the event loop how long the last one took. */
export async function watchLoop<T>(work: () => Promise<T>): Promise<Watched<T>> {
  let [heldMs, turns, isOver] = [0, 0, false];
  let before = process.cpuUsage();
  const look = () => {
    const { user, system } = process.cpuUsage(before);
    heldMs = Math.max(heldMs, (user + system) / 1000);
    turns++;
    before = process.cpuUsage();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    const value = await work();
    await new Promise(setImmediate);
    return { value, heldMs, turns };
  } finally {
    isOver = true;
  }
}
