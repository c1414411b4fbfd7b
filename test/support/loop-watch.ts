/** The event loop's behaviour during some work. */
export interface Watched<T> {
  readonly value: T;
  /**
   * The most processor time spent in one turn, in milliseconds: independent of the machine's other
   * load.
   */
  readonly heldMs: number;
  readonly turns: number;
}

/** Does work, and measures the processor time of each turn of the event loop meanwhile. */
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
