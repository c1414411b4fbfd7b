import { MODES } from '../../../shards/modes.ts';

export type Value = string | number | null;
export type Row = readonly Value[];

/** A request: its query, and the start of its page. */
export interface Asked {
  /** The GEOID in the path, or an empty string. */
  readonly geoid: string;
  readonly bbox: readonly number[];
  /** The mode and type of the query; 0 if it has none. */
  readonly modeId: number;
  readonly type: number;
  readonly limit: number;
  readonly after: readonly number[];
}

/** One route of the twin: its statement, and the conversion of rows to a response body. */
export interface TwinRoute {
  readonly path: string;
  /**
   * Reads and charges in one round trip. Takes the key's hash, then `parameters`; returns one row:
   * the outcome of the charge, the balance, the rows as one JSON text, and any other data for the
   * body. No row means that the requested item does not exist, and nothing is charged.
   */
  readonly sql: string;
  parameters(asked: Asked): Value[];
  /**
   * The position at which the first page starts, as in a cursor. Empty if the route has no pages.
   */
  readonly start: readonly number[];
  /** The least that a response costs, if not one token. */
  readonly minimum?: number;
  /** The position from which the next page continues if this row ends a page. */
  position(row: Row): number[];
  body(
    asked: Asked,
    rows: readonly Row[],
    nextCursor: string | null,
    ...rest: Row
  ): { results: object[] };
}

const LABELS = new Map<Value, string>(MODES.map(({ modeId, mode }) => [modeId, mode]));
const label = (modeId: Value) => LABELS.get(modeId)!;
const minutes = (tenths: Value) => Number(tenths) / 10;
const FACTS = 'name, lon, lat, street, city, state, zip';

const blockSummary: TwinRoute = {
  path: '/v1/blocks/:geoid/summary',
  sql: `
    WITH page AS MATERIALIZED (
      SELECT mode_id, dest_type_id, tenths FROM nearest
      WHERE geoid = $2::bigint ORDER BY mode_id, dest_type_id
    )
    SELECT charged.*, ${asJson('mode_id, dest_type_id, tenths')}, population, land_area
    FROM block, charge($1, (SELECT greatest(1, count(*)) FROM page)) charged
    WHERE geoid = $2::bigint`,
  parameters: ({ geoid }) => [geoid],
  start: [],
  position: () => [],
  body: ({ geoid }, rows, _next, population, land_area_m2) => ({
    block: { geoid, population, land_area_m2 },
    results: rows.map(([mode, dest_type_id, tenths]) => {
      return { dest_type_id, mode: label(mode), travel_time: minutes(tenths) };
    }),
  }),
};

const blockPois: TwinRoute = {
  path: '/v1/blocks/:geoid/pois',
  sql: paged({
    columns: `mode_id, dest_id, tenths, ${FACTS}`,
    from: 'poi_time JOIN poi USING (dest_id)',
    where: 'geoid = $3::bigint AND (mode_id, dest_id) > ($4::smallint, $5::bigint)',
    order: 'mode_id, dest_id',
    exists: 'EXISTS (SELECT FROM block WHERE geoid = $3::bigint)',
  }),
  parameters: ({ geoid, after }) => [geoid, ...after],
  start: [0, -1],
  position: ([mode, dest]) => [Number(mode), Number(dest)],
  body: ({ geoid }, rows, next_cursor) => ({
    block_geoid: geoid,
    results: rows.map(([mode, dest_id, tenths, name, lon, lat, street, city, state, zip]) => {
      const address = { street, city, state, zip };
      return { dest_id, mode: label(mode), travel_time: minutes(tenths), name, lon, lat, address };
    }),
    next_cursor,
  }),
};

const placeBlocks: TwinRoute = {
  path: '/v1/places/:geoid/blocks',
  sql: paged({
    columns: 'block, dest_type_id, mode_id, tenths',
    // Block by block, so that a page reads no more of a place than it returns.
    from: `place_block, LATERAL (
      SELECT dest_type_id, mode_id, tenths FROM nearest
      WHERE geoid = block
        AND (geoid, dest_type_id, mode_id) > ($4::bigint, $5::smallint, $6::smallint)
      ORDER BY dest_type_id, mode_id OFFSET 0) times`,
    where: 'place = $3 AND block >= $4::bigint',
    order: 'block, dest_type_id, mode_id',
    exists: 'EXISTS (SELECT FROM place WHERE geoid = $3)',
  }),
  parameters: ({ geoid, after }) => [geoid, ...after],
  start: [0, 0, 0],
  position: ([geoid, type, mode]) => [Number(geoid), Number(type), Number(mode)],
  body: (_asked, rows, next_cursor) => ({
    results: rows.map(([geoid, dest_type_id, mode_id, tenths]) => ({
      geoid: String(geoid).padStart(15, '0'),
      dest_type_id,
      mode_id,
      mode: label(mode_id),
      travel_time: minutes(tenths),
    })),
    next_cursor,
  }),
};

const poiSearch: TwinRoute = {
  path: '/v1/pois',
  sql: paged({
    columns: `spatial_rank, dest_id, ${FACTS}`,
    from: 'poi',
    // The index keeps boxes in single precision; the columns decide.
    where: `geom && ST_MakeEnvelope($3, $4, $5, $6, 4326)
      AND lon BETWEEN $3 AND $5 AND lat BETWEEN $4 AND $6 AND spatial_rank > $7::int`,
    order: 'spatial_rank',
  }),
  parameters: ({ bbox, after }) => [...bbox, ...after],
  start: [-1],
  position: ([rank]) => [Number(rank)],
  body: (_asked, rows, next_cursor) => ({
    results: rows.map(([, dest_id, name, lon, lat, street, city, state, zip]) => {
      return { dest_id, name, lat, lon, address: { street, city, state, zip } };
    }),
    next_cursor,
  }),
};

const AREA_TOKENS = 10;
const STEPS = [5, 10, 15, 20, 25, 30];

const placeCoverage: TwinRoute = {
  path: '/v1/places/:geoid/coverage',
  sql: `
    WITH sums AS MATERIALIZED (
      SELECT count(*) AS blocks, sum(land_area)::bigint AS land_area, sum(people) AS total,
        coalesce(sum(people) FILTER (WHERE unrouted & (1 << $3::int) <> 0), 0) AS no_data,
        ${STEPS.map((most) => `coalesce(sum(people) FILTER (WHERE tenths <= ${most * 10}), 0) AS within_${most}`).join()}
      FROM place_block
        LEFT JOIN nearest ON geoid = block AND mode_id = $3::smallint AND dest_type_id = $4::smallint
      WHERE place = $2
    )
    SELECT charged.*,
      json_build_array(json_build_array(total, no_data, ${STEPS.map((most) => `within_${most}`).join()}))::text,
      blocks, land_area, (SELECT margin FROM place WHERE geoid = $2)
    FROM sums, charge($1, ${AREA_TOKENS}) charged
    WHERE EXISTS (SELECT FROM place WHERE geoid = $2)`,
  parameters: ({ geoid, modeId, type }) => [geoid, modeId, type],
  start: [],
  minimum: AREA_TOKENS,
  position: () => [],
  body: ({ modeId, type }, rows, _next, blocks, land_area_m2, people) => ({
    area: { blocks, land_area_m2, margin: { people } },
    results: rows.map(([total, no_data, ...sums]) => ({
      dest_type_id: type,
      mode: label(modeId),
      weight: 'people',
      nth: 1,
      total,
      within: Object.fromEntries(STEPS.map((most, i) => [most, sums[i]])),
      beyond: Number(total) - Number(no_data) - Number(sums.at(-1)),
      no_data,
    })),
    basket: null,
  }),
};

export const TWIN_ROUTES: readonly TwinRoute[] = [
  blockSummary,
  blockPois,
  placeBlocks,
  poiSearch,
  placeCoverage,
];

/**
 * The statement of a page and its charge. `$2` is the limit; the page reads one extra row to detect
 * whether another page follows.
 */
function paged(page: {
  columns: string;
  from: string;
  where: string;
  order: string;
  exists?: string;
}): string {
  return `
    WITH page AS MATERIALIZED (
      SELECT ${page.columns} FROM ${page.from} WHERE ${page.where}
      ORDER BY ${page.order} LIMIT $2::int + 1
    )
    SELECT charged.*, ${asJson(page.columns)}
    FROM charge($1, (SELECT greatest(1, least(count(*), $2::int)) FROM page)) charged
    WHERE ${page.exists ?? 'true'}`;
}

/** The page as one JSON text, in its order, which Node parses in a fraction of the time of rows. */
function asJson(columns: string): string {
  return `(SELECT coalesce(json_agg(json_build_array(${columns})), '[]')::text FROM page)`;
}
