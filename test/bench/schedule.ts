import type { Seconds } from '../../shards/units.ts';

/** A build by a queue: work done once before, units in any order, and work done once after. */
export interface Work {
  readonly before: Seconds;
  /** A worker's time for each unit. */
  readonly units: readonly Seconds[];
  readonly after: Seconds;
}

export interface Schedule {
  /** From the first command to the publication. */
  readonly elapsed: Seconds;
  /** The same with a worker for each unit: the lower bound. */
  readonly criticalPath: Seconds;
  /** The paid time of all workers, as long as they have a unit or could have one. */
  readonly paid: Seconds;
}

/**
 * Completion time of a build: units go, in queue order, to whichever worker is free first. Workers
 * stay until the last unit is done; one of them does the rest.
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
