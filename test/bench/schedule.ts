import type { Seconds } from '../../shards/units.ts';

/** A build by a queue. */
export interface Work {
  /** Done once, before all else. */
  readonly before: Seconds;
  /** The time of each preparation job, in rounds: each begins when the one before it is done. */
  readonly preparation: readonly (readonly Seconds[])[];
  /** A worker's time for each unit, in any order. */
  readonly units: readonly Seconds[];
  /** Done once, after all units. */
  readonly after: Seconds;
}

export interface Schedule {
  /** From the first command to the publication. */
  readonly elapsed: Seconds;
  /** The same without a job that waits for another of its kind: the lower bound. */
  readonly criticalPath: Seconds;
  /** The paid time of all workers, from the first preparation job to the last unit. */
  readonly paid: Seconds;
}

/**
 * Completion time of a build whose preparation runs `preparers` jobs at once: jobs and units go, in
 * queue order, to whichever preparer or worker is free first. Workers stay from the first job to
 * the last unit; one of them does the rest.
 */
export function schedule(
  { before, preparation, units, after }: Work,
  workers: number,
  preparers: number,
): Schedule {
  const prepared = sum(preparation.map((round) => timeOf(round, preparers)));
  const longest = sum(preparation.map((round) => Math.max(0, ...round)));
  const searched = timeOf(units, workers);
  return {
    elapsed: before + prepared + searched + after,
    criticalPath: before + longest + Math.max(0, ...units) + after,
    paid: before + workers * (prepared + searched) + after,
  };
}

/** The time that some jobs take, each given to whichever of some workers is free first. */
function timeOf(jobs: readonly Seconds[], workers: number): Seconds {
  const freeAt = new Array<Seconds>(workers).fill(0);
  for (const seconds of jobs) {
    const next = freeAt.indexOf(Math.min(...freeAt));
    freeAt[next] += seconds;
  }
  return Math.max(...freeAt);
}

function sum(times: readonly Seconds[]): Seconds {
  return times.reduce((all, seconds) => all + seconds, 0);
}
