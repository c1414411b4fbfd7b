/** Reports the progress of long-running work. The command draws it; tests pass `silent`. */
export interface Progress {
  /** Begins a stage. `total` in `unit`s, or `null` when it cannot be known. */
  start(stage: string, total: number | null, unit: string): StageProgress;
  /** A line worth keeping: a decision, a warning. */
  note(line: string): void;
}

export interface StageProgress {
  /** Reports how many units are done, of the stage's total. */
  at(done: number): void;
  /** Finishes the stage; `summary` replaces its progress line. */
  finish(summary?: string): void;
}

export const silent: Progress = {
  start: () => ({ at: () => {}, finish: () => {} }),
  note: () => {},
};

/** A duration in everyday language. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
