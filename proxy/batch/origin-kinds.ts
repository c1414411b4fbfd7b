import { z } from 'zod';
import { type Geoid, geoidFromNumber, isGeoid } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ReleaseMode } from '../../shards/units.ts';
import type { ExampleMarks } from '../endpoint.ts';
import { Columns, type RowColumn } from '../formats/columns.ts';
import { Problem } from '../http/problem.ts';
import { PLANS } from '../plans.ts';
import { MATCH_COLUMNS } from '../queries/addresses/address-match.ts';
import { locateSent } from '../queries/addresses/locate-sent.ts';
import {
  locateOrigin,
  numberOrNull,
  type OriginBlock,
  originOfGeoid,
} from '../queries/origins/origin-block.ts';
import { unroutedModes, unroutedReasons } from '../queries/origins/unrouted.ts';
import {
  BLOCK_ORIGIN,
  POINT_ORIGIN,
  type RowOrigin,
  rowSchema,
} from '../queries/rows/row-columns.ts';
import { addressMatch } from '../schemas/schemas.ts';
import { type Batch, type OriginOutcome, type OriginResult, originError } from './batch.ts';
import { blockOrigins, type Point, pointOrigins, type SentBlock } from './origin-lists.ts';

export interface OriginKind<O> {
  readonly one: 'block' | 'point';
  readonly tag: 'Blocks' | 'Points';
  /** Path prefix of the batch routes; `singlePath` is that of the routes for a single origin. */
  readonly path: string;
  readonly singlePath: string;
  readonly list: { readonly json: z.ZodType<readonly O[]> };
  /** Columns by which rows name their origin; `columnsOf`: those that a request's rows have. */
  readonly columns: Columns<object>;
  columnsOf(origins: readonly O[]): Columns<object>;
  readonly short: z.ZodType;
  example(marks: ExampleMarks): O;
  nameOf(origin: O): object;
  /** Names an origin in `truncated`; null for one that need not be sent again. */
  shorten(origin: O): unknown;
  /** Finds the block of an origin and the source of its columns; or throws a not-found problem. */
  locate(
    release: Release,
    origin: O,
  ): Promise<{ readonly block: OriginBlock; readonly name: object }>;
}

export interface OriginMetadata {
  readonly list: 'blocks' | 'origins';
  readonly schema: z.ZodType;
  of(block: OriginBlock, name: object): object;
}

export const BLOCKS: OriginKind<SentBlock> = {
  one: 'block',
  tag: 'Blocks',
  path: '/v1/blocks',
  singlePath: '/v1/blocks/{geoid}',
  list: blockOrigins,
  columns: BLOCK_ORIGIN,
  columnsOf: () => BLOCK_ORIGIN,
  short: z.string(),
  example: ({ block }) => block,
  nameOf: (sent) => ({ geoid: sent === null ? null : String(sent) }),
  shorten: geoidAsSent,
  async locate(release, sent) {
    const geoid = wellFormed(sent);
    const block = await locateOrigin(release, originOfGeoid(release, geoid));
    return { block, name: { geoid } };
  },
};

/** Returns the GEOID that was sent; throws `block-not-found` for what cannot be one. */
export function wellFormed(sent: SentBlock): Geoid {
  const geoid = geoidAsSent(sent);
  if (geoid !== null && isGeoid(geoid)) return geoid;
  throw new Problem(
    'block-not-found',
    `${JSON.stringify(geoid)} is not a block GEOID: 15 digits, including leading zeros`,
  );
}

/** Returns the GEOID of a number, with its leading zero; text unchanged. */
export function geoidAsSent(sent: SentBlock): string | null {
  return typeof sent === 'number' ? geoidFromNumber(sent) : sent;
}

const PLACE_ORIGIN = new Columns<object>({
  ...POINT_ORIGIN.members,
  match: { type: MATCH_COLUMNS, schema: addressMatch.optional() },
});

const nameOfPoint = ({ lat, lon, sent, address }: Point) =>
  address !== undefined
    ? { address }
    : {
        origin_lat: numberOrNull(lat),
        origin_lon: numberOrNull(lon),
        ...(sent !== undefined && { sent }),
      };

export const POINTS: OriginKind<Point> = {
  one: 'point',
  tag: 'Points',
  path: '/v1/point',
  singlePath: '/v1/point',
  list: pointOrigins,
  columns: PLACE_ORIGIN,
  columnsOf: (origins) =>
    origins.some(({ address }) => address !== undefined) ? PLACE_ORIGIN : POINT_ORIGIN,
  short: z.union([rowSchema(POINT_ORIGIN), z.object({ address: z.string() })]),
  example: ({ point }) => point,
  nameOf: nameOfPoint,
  shorten: (point) => (point.sent === undefined ? nameOfPoint(point) : null),
  async locate(release, point) {
    const { block, match } = await locateSent(release, point);
    const { lat, lon } = match ?? point;
    return { block, name: { ...nameOfPoint({ lat, lon }), ...(match && { match }) } };
  },
};

interface BatchRequest<O> {
  readonly origins: readonly O[];
  readonly rowBudget: number;
  readonly modes: readonly ReleaseMode[];
  /** Columns of the rows, without those that name the origin. */
  readonly columns: readonly RowColumn[];
}

/**
 * A batch of origins, in request order. `look` is called for each block that at least one requested
 * mode could be routed from, with its origin.
 */
export function originBatch<O>(
  release: Release,
  { columnsOf, nameOf, shorten, locate }: OriginKind<O>,
  { origins, rowBudget, modes, columns }: BatchRequest<O>,
  look: (block: OriginBlock, origin: RowOrigin) => OriginResult | Promise<OriginResult>,
): Batch<O> {
  const named = columnsOf(origins);
  const respond = async (origin: O): Promise<OriginOutcome> => {
    const { block, name } = await locate(release, origin);
    const unrouted = unroutedModes(block, modes);
    if (unrouted === null || unrouted.length < modes.length) {
      return look(block, { columns: named, name });
    }
    return { type: 'no-block-data', detail: unroutedReasons(block.geoid, unrouted) };
  };
  return {
    origins,
    rowBudget,
    turns: release.turns,
    rowPrice: PLANS.charges.row,
    columns: [...named.columns, ...columns],
    identify: nameOf,
    shorten,
    respond: (origin) => respond(origin).catch(originError),
  };
}
