/** A read under way that can be given up. */
export interface Attempt<T> {
  readonly done: Promise<T>;
  giveUp(): void;
}

/**
 * Makes a read, and when it is not done after `lateMs` and `mayHedge` says so, the same once more;
 * the first to succeed counts, and the other is given up. ("Hedged requests": Dean and Barroso, The
 * Tail at Scale, 2013.)
 */
export async function hedged<T>(
  begin: () => Attempt<T>,
  lateMs: number,
  mayHedge: () => boolean,
): Promise<T> {
  const first = begin();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, lateMs, 'late');
  });
  try {
    const isLate = await Promise.race([first.done.then(() => 'done' as const), late]);
    if (isLate === 'done' || !mayHedge()) return await first.done;
  } finally {
    clearTimeout(timer);
  }
  const second = begin();
  try {
    return await Promise.any([first.done, second.done]);
  } catch (error) {
    throw (error as AggregateError).errors[0];
  } finally {
    first.giveUp();
    second.giveUp();
  }
}
