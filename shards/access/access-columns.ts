import type { Minutes } from '../units.ts';

/** The time limits up to which `access` objects count. */
export const ACCESS_MINUTES: readonly Minutes[] = [15, 30, 45, 60];

/** A count that `access` objects have for every block: how much of a weight is within reach. */
export interface AccessCount {
  /** The weight that is counted. */
  readonly of: string;
  readonly direction: 'from' | 'to';
  /** The service that reaches, by name. */
  readonly mode: string;
  readonly minutes: Minutes;
}

/** The contents of `access` objects. */
export interface AccessContents {
  /** Weights. */
  readonly access: readonly string[];
  readonly directions: readonly AccessCount['direction'][];
  readonly modes: readonly string[];
}

export function accessColumn({ of, direction, mode, minutes }: AccessCount): string {
  return `${of} ${direction} ${mode} ${minutes}`;
}

/** Lists the counts of every county's `access` object, in the order of its columns. */
export function accessCountsOf({ access, directions, modes }: AccessContents): AccessCount[] {
  return access.flatMap((of) =>
    directions.flatMap((direction) =>
      modes.flatMap((mode) => ACCESS_MINUTES.map((minutes) => ({ of, direction, mode, minutes }))),
    ),
  );
}
