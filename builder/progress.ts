import type { Bytes } from '../shards/units.ts';

/** Reports the progress of long-running work. The command draws it; tests pass `silent`. */
export interface Progress {
  /** Begins a stage. `total` is a number of `unit`s, or `null` if it cannot be known in advance. */
  start(stage: string, total: number | null, unit: string): StageProgress;
  /** Reports a line worth keeping, such as a decision or a warning. */
  note(line: string): void;
}

export interface StageProgress {
  /** Reports how many units of the stage's total are done. */
  at(done: number): void;
  /** Finishes the stage; `summary` replaces its progress line. */
  finish(summary?: string): void;
}

export const MEGABYTE: Bytes = 1e6;

export const silent: Progress = {
  start: () => ({ at: () => {}, finish: () => {} }),
  note: () => {},
};

/** Begins a stage that counts bytes, which are reported in megabytes. */
export function startBytes(progress: Progress, stage: string, total: Bytes | null): StageProgress {
  const started = progress.start(stage, total && Math.ceil(total / MEGABYTE), 'MB');
  return {
    at: (done) => started.at(Math.round(done / MEGABYTE)),
    finish: (text) => started.finish(text),
  };
}

/** Returns a callback that adds up amounts of work and reports the running sum to a stage. */
export function accumulator(stage: StageProgress): (amount: number) => void {
  let done = 0;
  return (amount) => {
    done += amount;
    stage.at(done);
  };
}

/** Formats a duration for people to read: in seconds, minutes or hours. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
