import { z } from 'zod';
import type { BlockIndex } from '../../../shards/blocks/block-index.ts';
import type { GeoidNumber } from '../../../shards/geoid.ts';
import type { PolygonGeometry } from '../../../shards/geometry/geo-json.ts';
import { type Mode, modeIdOf } from '../../../shards/modes.ts';
import type { Bytes, CountyBlock, DestTypeId } from '../../../shards/units.ts';
import { Columns, Geometry, KeptPart, NO_COLUMNS } from '../../formats/columns.ts';
import type { Rows } from '../../formats/rows.ts';
import type { CellFilter } from '../modes-and-types.ts';
import { NTH, type NthFilter } from '../nearest/nearest-times.ts';
import { unroutedReason } from '../origins/unrouted.ts';
import {
  GEOID,
  type ModeTime,
  modeSchema,
  modeTimeOf,
  rowSchema,
  TIME_KEYS,
  TYPE_COLUMNS,
  tenthsOfMinutes,
  typeColumns,
} from '../rows/row-columns.ts';

export interface ArealQuery extends CellFilter {
  readonly withPopulation: boolean;
  /** Whether pairs of type and mode without a time also get a row, with the reason. */
  readonly withMissing: boolean;
}

/** Size at which a page ends, since outlines of remote blocks have thousands of vertices. */
const PAGE_BYTES: Bytes = 4 << 20;

export function isFull(rows: Rows, limit: number): boolean {
  return rows.count === limit || rows.bytes > PAGE_BYTES;
}

/** Reasons why there is no time: too far, or unknown. */
const MISSING_REASONS = ['not-within-30', 'no-data'] as const;
type MissingReason = (typeof MISSING_REASONS)[number];

export function missingReason(index: BlockIndex, ordinal: CountyBlock, mode: Mode): MissingReason {
  if (index.isFullyRoutable(ordinal)) return 'not-within-30';
  return unroutedReason(index, ordinal, mode) === null ? 'not-within-30' : 'no-data';
}

const OUTLINE = new Geometry<PolygonGeometry | undefined>((outline) => outline);

const arealTime = new Columns<ModeTime>({
  mode_id: { type: 'int32', schema: z.int(), of: ({ mode }) => modeIdOf(mode) },
  mode: { type: 'string', schema: modeSchema },
  travel_time: {
    type: 'double',
    schema: tenthsOfMinutes.nullable().meta({
      description: 'Minutes, one decimal; null only in rows added by `include_missing`.',
    }),
    of: ({ tenths }) => (tenths === 0 ? null : tenths / 10),
  },
});
const AREAL_TIME = new KeptPart(arealTime, TIME_KEYS, modeTimeOf);

/** A count of POIs; null where it is unknown. */
const COUNT = new Columns<number | null | undefined>({
  count: {
    type: 'double',
    schema: z
      .int()
      .min(0)
      .nullable()
      .optional()
      .meta({
        description:
          'With `count_within`: the number of POIs of the type within so many minutes; null where ' +
          '`reason` is `no-data`.',
      }),
    of: (count) => count,
  },
});

const reason = new Columns<MissingReason | undefined>({
  reason: {
    type: 'string',
    schema: z.enum(MISSING_REASONS).optional().meta({
      description:
        'Only where `travel_time` is null: too far, or the mode could not be routed from the block.',
    }),
    of: (reason) => reason,
  },
});
const REASON = new KeptPart(reason, 1 + MISSING_REASONS.length, (key) => MISSING_REASONS[key - 1]);

export const NO_REASON = 0;
export function reasonKey(reason: MissingReason): number {
  return MISSING_REASONS.indexOf(reason) + 1;
}

const populationSchema = z.int().min(0).nullable();
const populationColumn = (schema: z.ZodType) =>
  new Columns<number | null>({
    population: { type: 'int32', schema, of: (population) => population },
  });
const POPULATION = populationColumn(populationSchema.optional());
/** The population of a block in rows that always have it. */
export const BLOCK_POPULATION = populationColumn(populationSchema);

export const arealRow = rowSchema(
  GEOID,
  TYPE_COLUMNS,
  arealTime,
  NTH,
  COUNT,
  reason,
  POPULATION,
).meta({
  id: 'ArealBlockResult',
  description: 'Minutes from a block of an area to the nearest POI of a type, by one mode.',
});

/** The parts of the rows that a request selects: the same on every page. */
export function arealParts(
  { labels, withMissing, withPopulation }: ArealQuery,
  nthFilter: NthFilter | null,
) {
  return [
    OUTLINE,
    GEOID,
    typeColumns(labels),
    AREAL_TIME,
    nthFilter?.nths == null ? NO_COLUMNS : NTH,
    nthFilter?.countTenths == null ? NO_COLUMNS : COUNT,
    withMissing ? REASON : NO_COLUMNS,
    withPopulation ? POPULATION : NO_COLUMNS,
  ] as const;
}

export type AddArealRow = (
  outline: PolygonGeometry | undefined,
  block: GeoidNumber,
  type: DestTypeId,
  time: number,
  nth: number | undefined,
  count: number | null | undefined,
  reason: number,
  population: number | null,
) => void;
