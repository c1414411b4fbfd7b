import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { RULE_NAMES } from '../../builder/routing-parameters.ts';

export const ENGINES_RECORD = 'test/bench/engines.json';

const number = z.number();
const differenceSchema = z.object({
  pairs: number,
  within1: number,
  within10: number,
  within10or1: number,
  within10or2: number,
  mean: number,
  median: number,
  p5: number,
  p95: number,
  oursOnly: number,
  theirsOnly: number,
});
/** The trips of a row: all by a mode, or transit trips by whether they are ridden. */
const kindSchema = z.enum([
  'walk',
  'step-free',
  'bike',
  'bike, any stress',
  'ridden',
  'ridden, median',
  'ridden from 7:00',
  'not ridden',
]);
/** Rules of R5 in place of ours: none, one, or all five. */
const rulesSchema = z.enum(['as shipped', ...RULE_NAMES, 'all five']);

const citySchema = z.object({
  place: z.string(),
  /** The date of the street data. */
  map: z.string(),
  feeds: z.string(),
  origins: number,
  compared: z.array(
    z.object({
      engine: z.string(),
      kind: kindSchema,
      rules: rulesSchema,
      ...differenceSchema.shape,
    }),
  ),
  /** How our own times change with each rule. */
  switched: z.array(z.object({ kind: kindSchema, rules: rulesSchema, ...differenceSchema.shape })),
  /** Milliseconds of processor time for an origin by walk, bike and transit, on one thread. */
  speed: z.object({ targets: number, r5: number, ours: number }),
});

export const enginesRecordSchema = z.object({
  date: z.string(),
  commit: z.string(),
  machine: z.string(),
  cities: z.array(citySchema).readonly(),
});

/** The measurements of `npm run bench -- engines`, as `engines.json` holds them. */
export type EnginesRecord = Readonly<z.infer<typeof enginesRecordSchema>>;
export type EnginesCity = EnginesRecord['cities'][number];
export type Kind = z.infer<typeof kindSchema>;
export type Rules = z.infer<typeof rulesSchema>;

export function readEnginesRecord(): EnginesRecord {
  return enginesRecordSchema.parse(JSON.parse(readFileSync(ENGINES_RECORD, 'utf8')));
}
