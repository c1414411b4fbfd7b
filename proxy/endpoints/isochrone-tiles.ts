import { z } from 'zod';
import { BAND_ENDS } from '../../shards/bands/time-bands.ts';
import { aroundAll, type Bounds } from '../../shards/geometry/bounds.ts';
import type { Mode } from '../../shards/modes.ts';
import type { TileAddress } from '../../shards/pmtiles/tile-id.ts';
import { DIRECTIONS, type TileArchive } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import { parseService } from '../../shards/services.ts';
import { MICRO } from '../../shards/units.ts';
import { BOUNDS } from '../bounds.ts';
import { BinaryBody, freeEndpoint, meteredEndpoint } from '../endpoint.ts';
import { NONE, parameters, required } from '../fields/field.ts';
import { integer } from '../fields/kinds.ts';
import { modeLabel, typeName, WINDOW } from '../fields/rows.ts';
import { releaseAt, scopeOf } from '../fields/served-words.ts';
import { invalidParameter, Problem, truncate } from '../http/problem.ts';
import { assumptionsOf, assumptionsSchema } from '../isochrone/assumptions.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { PLANS } from '../plans.ts';
import { modeLabels, type TypeName } from '../queries/modes-and-types.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';
import { modeSchema } from '../queries/rows/row-columns.ts';

export const isochroneMeta = freeEndpoint({
  access: 'free',
  path: '/v1/isochrone/meta',
  operationId: 'getIsochroneMeta',
  summary: 'Isochrone metadata: version, modes, directions, assumptions',
  description:
    'The basis of the isochrones of the current release. `version` is the value to pin with `v`.',
  tag: 'Isochrones',
  params: NONE,
  query: NONE,
  responseDescription: 'The version, modes, directions and assumptions of the isochrones.',
  response: z.object({
    version: z.string(),
    directions: z.array(z.enum(DIRECTIONS)),
    modes: z.array(modeSchema),
    max_minutes: z.int(),
    dest_set: z.string().optional(),
    assumptions: assumptionsSchema,
  }),
  problems: [],
  cache: 'catalogue',
  respond({ releases }) {
    const release = releases.current;
    return {
      body: {
        version: release.version,
        directions: release.manifest.directions,
        modes: modeLabels(release, release.chosen),
        max_minutes: BOUNDS.contour.max,
        dest_set: 'blocks',
        assumptions: assumptionsOf(release),
      },
    };
  },
});

function around(boxes: readonly Bounds[]): Bounds | null {
  return boxes.length === 0 ? null : aroundAll(boxes);
}

const boxOfRelease = z.array(z.number()).length(4);

export const tileArchives = freeEndpoint({
  access: 'free',
  path: '/v1/meta/tiles',
  operationId: 'getTileArchives',
  summary: 'The tile archives of the release, readable by range',
  description:
    'PMTiles 3 archives to read by byte range, free and without a key: `blocks`, `basemap` (water, ' +
    'roads, boundaries and names, in the schema of Protomaps’ basemap version 4), `lines` (those of transit, with names and colors of routes), the bands of each ' +
    'mode and leaf destination type, and the `pois` of each leaf type. The content behind a URL never changes; another release has ' +
    'other URLs. Empty for a release that was built without tiles.',
  tag: 'Isochrones',
  params: NONE,
  query: NONE,
  responseDescription: 'The archives of the release, and its bounds.',
  response: z.object({
    release: z.string(),
    bounds: boxOfRelease.meta({
      description: 'West, south, east and north edge of its blocks in degrees, water included.',
    }),
    poi_bounds: boxOfRelease.nullable().meta({
      description: 'The same for its POIs, as a first view of a map. Null if there are none.',
    }),
    archives: z.array(
      z.object({
        layer: z.enum(['blocks', 'basemap', 'lines', 'bands', 'pois']),
        mode: modeSchema.nullable(),
        departure: z.string().optional().meta({
          description: 'The window of bands by transit, of those besides `am` at percentile 10.',
        }),
        percentile: z.int().optional(),
        dest_type_id: z.int().nullable(),
        url: z.url(),
        bytes: z.int(),
      }),
    ),
  }),
  problems: [],
  cache: 'catalogue',
  respond({ releases, config }) {
    const { latest, manifest } = releases.current;
    const archives = Object.entries(manifest.tiles).map(([name, { archive }]) => {
      const [service, type] = name.split('-');
      const facts = { url: `${config.baseUrl}/${archive.name}`, bytes: archive.bytes };
      if (type === undefined) return { layer: name, mode: null, dest_type_id: null, ...facts };
      const dest_type_id = Number(type);
      if (service === 'pois') return { layer: service, mode: null, dest_type_id, ...facts };
      const { mode, departure, percentile } = parseService(service)!;
      // The archives of `am` at the 10th percentile, which every release has, name neither.
      const timing = service === mode ? {} : { departure, percentile };
      return { layer: 'bands', mode, ...timing, dest_type_id, ...facts };
    });
    const counties = Object.values(manifest.counties);
    return {
      body: {
        release: latest.release,
        bounds: around(counties.map(({ block_box }) => block_box)),
        poi_bounds: around(counties.flatMap(({ poi_box }) => (poi_box ? [poi_box] : []))),
        archives,
      },
    };
  },
});

const MVT = 'application/vnd.mapbox-vector-tile';

/** The part of a path that states the mode and type of tiles; releases may lack tiles. */
const OF_TILES = {
  mode: required(modeLabel, {
    id: 'TileMode',
    description: 'Travel mode.',
    example: (marks) => marks.tile && marks.mode,
  }),
  dest_type_id: required(typeName, {
    id: 'TileType',
    description: 'A leaf destination type, by id or by label.',
    example: (marks) => marks.tile && marks.type,
  }),
};

export const tileJson = freeEndpoint({
  access: 'free',
  path: '/v1/isochrone/tiles/{mode}/{dest_type_id}.json',
  operationId: 'getTileJson',
  summary: 'TileJSON of the travel-time bands for a mode and destination type',
  description:
    `TileJSON 3. The layer \`bands\` has polygons whose \`minutes\` are ${BAND_ENDS[0]}, ` +
    `${BAND_ENDS[1]} … ${BAND_ENDS.at(-1)}: the nearest POI of the type is within that many ` +
    'minutes, but not within those of the previous band.',
  tag: 'Isochrones',
  params: parameters(OF_TILES),
  query: parameters(WINDOW),
  responseDescription: 'The TileJSON document.',
  response: z.looseObject({ tilejson: z.literal('3.0.0'), tiles: z.array(z.string()) }),
  problems: ['no-isochrone-data'],
  cache: 'catalogue',
  async respond({ releases, config }, { params: { mode, dest_type_id }, query }) {
    const release = releaseAt(releases.current, query, 'query');
    const archive = await release.tiles(archiveOf(release, mode, dest_type_id));
    const { minZoom, maxZoom, bounds, centre } = archive.header;
    const { vector_layers, name, attribution, description } = await archive.metadata();
    return {
      body: {
        tilejson: '3.0.0',
        name,
        description,
        attribution,
        version: '1.0.0',
        scheme: 'xyz',
        tiles: [
          `${config.baseUrl}/v1/isochrone/tiles/${mode}/${dest_type_id}/{z}/{x}/{y}.mvt${timingOf(release)}`,
        ],
        minzoom: minZoom,
        maxzoom: maxZoom,
        bounds: [
          ...[bounds.minLon, bounds.minLat].map((degrees) => Math.floor(degrees * MICRO) / MICRO),
          ...[bounds.maxLon, bounds.maxLat].map((degrees) => Math.ceil(degrees * MICRO) / MICRO),
        ],
        center: [
          ...[centre.lon, centre.lat].map((degrees) => Math.round(degrees * MICRO) / MICRO),
          centre.zoom,
        ],
        vector_layers,
      },
    };
  },
});

interface ResolvedTile extends ResolvedQuery {
  readonly tiles: TileArchive;
  readonly address: TileAddress;
}

export const isochroneTile = meteredEndpoint({
  access: 'metered',
  path: '/v1/isochrone/tiles/{mode}/{dest_type_id}/{z}/{x}/{y}.mvt',
  operationId: 'getTile',
  summary: 'Vector tile of travel-time bands',
  description:
    'Bands of minutes to the nearest POI of a type by one mode, as a Mapbox vector tile. 1 token; ' +
    'free for members. An empty tile is a 204, and free.',
  tag: 'Isochrones',
  params: parameters({
    ...OF_TILES,
    z: required(integer(BOUNDS.zoom), { id: 'TileZoom', example: ({ tile }) => tile?.z }),
    x: required(integer(BOUNDS.tileAcross), { id: 'TileX', example: ({ tile }) => tile?.x }),
    y: required(integer(BOUNDS.tileAcross), { id: 'TileY', example: ({ tile }) => tile?.y }),
  }),
  query: parameters(WINDOW),
  freeForMembers: true,
  mediaType: MVT,
  mayBeEmpty: true,
  responseDescription: 'The vector tile.',
  response: z.string().meta({ format: 'binary' }),
  problems: ['no-isochrone-data'],

  resolve(release, { params: { mode, dest_type_id, z, x, y } }): ResolvedTile {
    const tiles = archiveOf(release, mode, dest_type_id);
    const side = 2 ** z;
    for (const [name, value] of Object.entries({ x, y })) {
      if (value < side) continue;
      const msg = `must be below ${side} at zoom ${z}`;
      throw invalidParameter(['path', name], msg, 'too_big');
    }
    return {
      canonical: canonicalRequest('tile', {
        mode,
        type: release.taxonomy.idOf(dest_type_id),
        z,
        x,
        y,
      }),
      dependsOn: [tiles.archive],
      tiles,
      address: { z, x, y },
    };
  },

  async respond(release, { tiles, address }) {
    const archive = await release.tiles(tiles);
    const tile = await archive.tile(address);
    if (tile === null) return { body: null, tokens: 0 };
    return { body: new BinaryBody(tile, MVT, 'gzip'), tokens: PLANS.charges.tile };
  },
});

function archiveOf(release: Release, mode: Mode, type: TypeName): TileArchive {
  const { manifest, taxonomy, services } = release;
  const service = services[release.positionOf(mode)]?.name ?? mode;
  const name = `${service}-${taxonomy.idOf(type)}`;
  if (Object.hasOwn(manifest.tiles, name)) return manifest.tiles[name];
  if (Object.keys(manifest.tiles).length === 0) {
    throw new Problem('no-isochrone-data', 'the release was built without map tiles');
  }
  throw new Problem(
    'no-isochrone-data',
    `there are no tiles for ${mode} and destination type ${truncate(String(type))}: the type must be a leaf of the taxonomy, and the mode one of the release`,
  );
}

/** The query of the tiles of a release as read for another window or percentile. */
function timingOf(release: Release): string {
  const { departure, percentile } = release.timing;
  return scopeOf(release) === '' ? '' : `?departure=${departure}&percentile=${percentile}`;
}
