import { MAX_COUNT, type Weight } from '../../shards/weights/weight.ts';
import { BuildError, quoted } from '../errors.ts';

export type WeightFacts = Omit<Weight, 'total' | 'modelled'>;

export type WantedCounts = 'weights' | 'people';

export interface CountedArea {
  /** The GEOID of a block, a block group or a tract: 15, 12 or 11 digits. */
  readonly area: string;
  readonly counts: readonly number[];
  /** The row as named in messages: `line 7`. */
  readonly row: string;
}

/** A file of counts by area. */
export interface WeightFile {
  readonly path: string;
  readonly weights: readonly WeightFacts[];
  /** Whether blocks without a count are left out, so that a missing row means 0. */
  readonly omitsZeros: boolean;
  /**
   * The rows. Reading them throws a `BuildError` that names the row and the column for anything but
   * whole counts.
   */
  readonly rows: AsyncIterable<CountedArea>;
}

const YEAR = /(?:^|[^0-9])((?:19|20)\d\d)(?:[^0-9]|$)/;

/** The year in the name of a file, such as `md_wac_S000_JT00_2022.csv.gz`; null without one. */
export function yearInName(path: string): number | null {
  const year = YEAR.exec(path.slice(path.lastIndexOf('/') + 1))?.[1];
  return year === undefined ? null : Number(year);
}

const WHOLE = /^\d{1,10}$/;

/**
 * Parses a count. Throws a `BuildError` that names the cell for anything but a whole number from 0
 * to `MAX_COUNT`.
 */
export function countIn(text: string, path: string, row: string, column: string): number {
  const count = WHOLE.test(text) ? Number(text) : Number.NaN;
  if (count <= MAX_COUNT) return count;
  throw new BuildError(
    `${path}: ${row}: ${column} is ${quoted(text)}, not a whole number from 0 to ${MAX_COUNT}`,
  );
}
