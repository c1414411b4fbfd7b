import type { Seconds } from '../../shards/units.ts';

/** A build by a queue: what is done once before, units in any order, and what is done once after. */
export interface Work {
  readonly before: Seconds;
  /** What a worker needs for each unit. */
  readonly units: readonly Seconds[];
  readonly after: Seconds;
}

export interface Schedule {
  /** From the first command to the publication. */
  readonly elapsed: Seconds;
  /** The same with a worker for each unit: nothing makes it shorter. */
  readonly criticalPath: Seconds;
  /** What all workers are paid for, as long as they have a unit or could have one. */
  readonly paid: Seconds;
}

/**
 * When a build is done: units go, in the order they were put, to whichever worker is free first, as
 * a queue gives them out. Workers stay until the last unit is done; one of them does the rest.
 */
export function schedule({ before, units, after }: Work, workers: number): Schedule {
  const freeAt = new Array<Seconds>(workers).fill(before);
  for (const seconds of units) {
    const next = freeAt.indexOf(Math.min(...freeAt));
    freeAt[next] += seconds;
  }
  const unitsDone = Math.max(...freeAt);
  return {
    elapsed: unitsDone + after,
    criticalPath: before + Math.max(0, ...units) + after,
    paid: before + workers * (unitsDone - before) + after,
  };
}
