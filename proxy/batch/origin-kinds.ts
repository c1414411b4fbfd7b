import { z } from 'zod';
import { geoidFromNumber, isGeoid } from '../../shards/geoid.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ReleaseMode } from '../../shards/units.ts';
import type { ExampleMarks } from '../endpoint.ts';
import type { Columns, RowColumn } from '../formats/columns.ts';
import { Problem } from '../http/problem.ts';
import {
  locateOrigin,
  locateSentPoint,
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
import { type Batch, type OriginOutcome, type OriginResult, originError } from './batch.ts';
import { blockOrigins, type Point, pointOrigins, type SentBlock } from './origin-lists.ts';

/** A kind of batch origin, block or point: how origins are sent, located and named. */
export interface OriginKind<O> {
  readonly one: 'block' | 'point';
  readonly tag: 'Blocks' | 'Points';
  /** Path prefix of the batch routes; `singlePath` is that of the routes for a single origin. */
  readonly path: string;
  readonly singlePath: string;
  /** Field of the list of origins in a request's body. */
  readonly list: { readonly json: z.ZodType<readonly O[]> };
  /** Columns by which rows, and items of `errors`, name their origin. */
  readonly columns: Columns<object>;
  /** Schema of an item of `truncated`. */
  readonly short: z.ZodType;
  example(marks: ExampleMarks): O;
  /** The source of `columns`: the origin as sent, or, of blocks, the located one. */
  nameOf(origin: O, located?: OriginBlock): object;
  /** Names an origin in `truncated`; null for one that need not be sent again. */
  shorten(origin: O): unknown;
  /** Finds the block of an origin, or throws a not-found problem. */
  locate(release: Release, origin: O): Promise<OriginBlock>;
}

/** Metadata of a batch's origins, listed beside the rows. */
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
  short: z.string(),
  example: ({ block }) => block,
  nameOf: (sent, located) => ({ geoid: located?.geoid ?? (sent === null ? null : String(sent)) }),
  shorten: geoidAsSent,
  async locate(release, sent) {
    const geoid = geoidAsSent(sent);
    if (geoid !== null && isGeoid(geoid)) {
      return locateOrigin(release, originOfGeoid(release, geoid));
    }
    throw new Problem(
      'block-not-found',
      `${JSON.stringify(geoid)} is not a block GEOID: 15 digits, including leading zeros`,
    );
  },
};

/** Returns the GEOID of a number, with its leading zero; text unchanged. */
function geoidAsSent(sent: SentBlock): string | null {
  return typeof sent === 'number' ? geoidFromNumber(sent) : sent;
}

const nameOfPoint = ({ lat, lon, sent }: Point) => ({
  origin_lat: numberOrNull(lat),
  origin_lon: numberOrNull(lon),
  ...(sent !== undefined && { sent }),
});

/** Points, each resolved to the block that contains it. */
export const POINTS: OriginKind<Point> = {
  one: 'point',
  tag: 'Points',
  path: '/v1/point',
  singlePath: '/v1/point',
  list: pointOrigins,
  columns: POINT_ORIGIN,
  short: rowSchema(POINT_ORIGIN),
  example: ({ point }) => point,
  nameOf: nameOfPoint,
  shorten: (point) => (point.sent === undefined ? nameOfPoint(point) : null),
  locate: locateSentPoint,
};

/** A batch request, apart from its lookup. */
interface BatchRequest<O> {
  readonly origins: readonly O[];
  readonly rowBudget: number;
  /** The requested modes. */
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
  { columns: named, nameOf, shorten, locate }: OriginKind<O>,
  { origins, rowBudget, modes, columns }: BatchRequest<O>,
  look: (block: OriginBlock, origin: RowOrigin) => OriginResult | Promise<OriginResult>,
): Batch<O> {
  const respond = async (origin: O): Promise<OriginOutcome> => {
    const block = await locate(release, origin);
    const unrouted = unroutedModes(block, modes);
    if (unrouted === null || unrouted.length < modes.length) {
      return look(block, { columns: named, name: nameOf(origin, block) });
    }
    return { type: 'no-block-data', detail: unroutedReasons(block.geoid, unrouted) };
  };
  return {
    origins,
    rowBudget,
    turns: release.turns,
    columns: [...named.columns, ...columns],
    identify: nameOf,
    shorten,
    respond: (origin) => respond(origin).catch(originError),
  };
}
