import { z } from 'zod';

/** Names of weights: `people`, `jobs`, or a column of the operator's own. */
export const WEIGHT_NAME = /^[a-z][a-z0-9_]{0,39}$/;

export const MAX_COUNT = 2 ** 32 - 1;

export const weightSchema = z.strictObject({
  weight: z.string().regex(WEIGHT_NAME),
  label: z.string(),
  /** Plural noun for what is counted: `people`, `jobs`. */
  unit: z.string(),
  source: z.string(),
  /** The year that the counts describe; null if the source does not state it. */
  year: z.int().nullable(),
  /** Whether counts of larger areas were spread over their blocks. */
  modelled: z.boolean(),
  /** Sum over all blocks of the release. */
  total: z.int().min(0),
});
export type Weight = z.infer<typeof weightSchema>;

/** Sources of weights whose counts are known to be changed to protect the people counted. */
export const WEIGHT_SOURCES = {
  blocks: 'Census 2020, TIGER/Line',
  redistricting: 'Census 2020, PL 94-171',
  workplaces: 'LODES 8, workplaces',
  residences: 'LODES 8, residences',
} as const;

/** The weight that every release has: the population in its block indexes. */
export const PEOPLE = {
  weight: 'people',
  label: 'People',
  unit: 'people',
  source: WEIGHT_SOURCES.blocks,
  year: 2020,
  modelled: false,
} as const satisfies Omit<Weight, 'total'>;
