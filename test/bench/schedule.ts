import type { Seconds } from '../../shards/units.ts';

/** The work of a build by a queue. */
export interface Work {
  /** Done once, before all else. */
  readonly before: Seconds;
  /** The time of each preparation job, by round; a round begins when the one before it is done. */
  readonly preparation: readonly (readonly Seconds[])[];
  /** A worker's time for each unit, in any order. */
  readonly units: readonly Seconds[];
  /** A worker's time for each task of the join, by round, after all units. */
  readonly join: readonly (readonly Seconds[])[];
}

export interface Schedule {
  /** From the first command to the publication. */
  readonly elapsed: Seconds;
  /** The lower bound of `elapsed`: no job waits for another of its kind. */
  readonly criticalPath: Seconds;
  /**
   * The paid time of all workers, from the first preparation job to the last task, and of one
   * worker for what comes before.
   */
  readonly paid: Seconds;
}

/**
 * Simulates a build whose preparation runs `preparers` jobs at once. Jobs and units go, in queue
 * order, to whichever preparer or worker is free first, as do the tasks of a join. Workers stay
 * from the first job to the last task.
 */
export function schedule(
  { before, preparation, units, join }: Work,
  workers: number,
  preparers: number,
): Schedule {
  const prepared = sum(preparation.map((round) => timeOf(round, preparers)));
  const worked = sum([units, ...join].map((round) => timeOf(round, workers)));
  const longest = sum([...preparation, units, ...join].map((round) => Math.max(0, ...round)));
  return {
    elapsed: before + prepared + worked,
    criticalPath: before + longest,
    paid: before + workers * (prepared + worked),
  };
}

/** The time that some jobs take, each of which goes to the worker that is free first. */
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
