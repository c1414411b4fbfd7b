import { z } from 'zod';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import type { Mode } from '../../shards/modes.ts';
import { numberWord } from '../../shards/number-words.ts';
import { DIRECTIONS, type Direction } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Minutes } from '../../shards/units.ts';
import { BOUNDS, LIMITS } from '../bounds.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { hasCommas, levels } from '../fields/compounds.ts';
import { NONE, optional, parameters, withDefault } from '../fields/field.ts';
import { choice, integer, phrase } from '../fields/kinds.ts';
import { blockGeoid, GEOID_WORDS, ORIGIN } from '../fields/locations.ts';
import { directionLabel, ofContours } from '../fields/opportunities.ts';
import { modeLabel, WINDOW } from '../fields/rows.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { assumptionsOf, assumptionsSchema } from '../isochrone/assumptions.ts';
import { contour } from '../isochrone/contour.ts';
import { blocksWithin, countWithin, reachable, routable } from '../isochrone/reachable.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { PLANS } from '../plans.ts';
import { modePosition } from '../queries/modes-and-types.ts';
import {
  checkPoiMinutes,
  countOpportunities,
  type Opportunity,
  opportunityObjects,
  requestedOpportunities,
} from '../queries/opportunities/opportunities.ts';
import { checkDirection } from '../queries/origins/near-points.ts';
import {
  type BlockOrigin,
  faultOfPoint,
  locateOrigin,
  type OriginBlock,
  originOfGeoid,
  originOfQuery,
} from '../queries/origins/origin-block.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';
import { modeSchema } from '../queries/rows/row-columns.ts';
import { geometry } from '../schemas/schemas.ts';

/** One contour; several values get a message that names the parameter that accepts them. */
const oneContour = z.preprocess((value, context) => {
  if (Array.isArray(value) || hasCommas(value)) {
    const message = 'takes one value; for several, use contours=10,20,30';
    context.addIssue({ code: 'custom', params: { type: 'too_many' }, message });
  }
  return value;
}, integer(BOUNDS.contour).text);

/** Ascending contours: `10,20,30`, with or without spaces, or the parameter repeated. */
const contours = z.preprocess(
  (value) =>
    [value].flat().flatMap((part) =>
      String(part)
        .split(',')
        .map((level) => level.trim()),
    ),
  levels(BOUNDS.contour, LIMITS.contours).text,
);

const EXAMPLE_MINUTES = 5;

const isochroneQuery = parameters({
  block: optional(blockGeoid, {
    id: 'IsochroneBlock',
    description: GEOID_WORDS,
    example: ({ block }) => block,
  }),
  ...ORIGIN,
  minutes: optional(
    { text: oneContour },
    {
      id: 'IsochroneMinutes',
      description: `One contour, ${BOUNDS.contour.min} to ${BOUNDS.contour.max} minutes.`,
      example: () => EXAMPLE_MINUTES,
    },
  ),
  contours: optional(
    { text: contours },
    {
      id: 'Contours',
      description: `Up to ${numberWord(LIMITS.contours)} contours in minutes, ascending: \`10,20,30\`, or the parameter repeated.`,
    },
  ),
  mode: withDefault(modeLabel, 'walk', { description: 'Travel mode.' }),
  direction: withDefault(directionLabel, 'from', {
    description: 'Away from the origin, or towards it.',
  }),
  ...WINDOW,
  of: ofContours,
  format: withDefault(choice(['geojson', 'blocks']), 'geojson', {
    description: 'Contours, or the blocks themselves.',
  }),
  v: optional(
    phrase((text) => text.max(LIMITS.versionLength, { error: 'is too long' })),
    {
      description:
        'Store version to pin; if another is current, the response is `no-isochrone-data`.',
    },
  ),
});

type IsochroneParams = z.output<typeof isochroneQuery>;

const isochroneFacts = {
  version: z.string(),
  direction: z.enum(DIRECTIONS),
  mode: modeSchema,
  assumptions: assumptionsSchema,
  block: z.string().regex(BLOCK_GEOID),
  reachable_blocks: z.int(),
};

const counts = z
  .record(z.string(), z.int())
  .optional()
  .meta({ description: 'With `of`: how many of each are within reach.' });

const contoursBody = z
  .object({
    type: z.literal('FeatureCollection'),
    ...isochroneFacts,
    features: z.array(
      z.object({
        type: z.literal('Feature'),
        geometry,
        properties: z.object({
          contour: z.int(),
          mode: modeSchema,
          reachable_blocks: z.int(),
          counts,
        }),
      }),
    ),
  })
  .meta({ id: 'Isochrone', description: '`format=geojson`: largest contour first.' });

const blocksBody = z
  .object({
    blocks: z.array(
      z.object({
        geoid: z.string(),
        travel_min: z.int(),
        contour: z
          .int()
          .optional()
          .meta({ description: 'With `contours`: the smallest contour that contains the block.' }),
      }),
    ),
    ...isochroneFacts,
    counts,
  })
  .meta({ id: 'IsochroneBlocks', description: '`format=blocks`: whole minutes, rounded up.' });

interface ResolvedIsochrone extends ResolvedQuery {
  /** The origin block, or the point whose block is yet to be found. */
  readonly origin: BlockOrigin;
  readonly mode: Mode;
  readonly direction: Direction;
  readonly format: 'geojson' | 'blocks';
  /** Sorted ascending. */
  readonly levels: readonly Minutes[];
  /** Whether each block names the smallest level that contains it, if `contours` were requested. */
  readonly namesContours: boolean;
  readonly opportunities: readonly Opportunity[];
}

export const isochrone = meteredEndpoint({
  access: 'metered',
  path: '/v1/isochrone',
  operationId: 'getIsochrone',
  summary: 'Isochrone from or to a block',
  description:
    `Contours of up to ${BOUNDS.contour.max} minutes around a block (\`block\`) or the block of a ` +
    'point (`lon`, `lat`), by one mode. Send `minutes`, or up to ' +
    `${numberWord(LIMITS.contours)} ascending \`contours\`. Contours are dissolved from the ` +
    `reachable blocks, with small holes filled. ${PLANS.charges.isochrone_contour} tokens per ` +
    'contour; free for members.',
  tag: 'Isochrones',
  params: NONE,
  query: isochroneQuery,
  freeForMembers: true,
  responseDescription: 'The contours, or the reachable blocks.',
  response: z.union([contoursBody, blocksBody]),
  geoJson: contoursBody,
  problems: [
    'missing-location',
    'block-not-found',
    'point-not-covered',
    'invalid-geometry',
    'no-isochrone-data',
    'direction-not-available',
  ],

  resolve(release, { query: asked }): ResolvedIsochrone {
    const { mode, direction, format, v } = asked;
    const origin = originOf(release, asked);
    const levels = levelsOf(asked);
    const namesContours = format === 'blocks' && asked.contours !== undefined;
    checkOffered(release, asked);
    const opportunities = requestedOpportunities(release, asked.of ?? [], direction);
    checkPoiMinutes(opportunities, levels, ['query', 'of']);
    const where = 'geoid' in origin ? { block: origin.geoid } : { lon: asked.lon, lat: asked.lat };
    return {
      // The response states the version of the release, so the key includes it.
      canonical: canonicalRequest('isochrone', {
        ...where,
        mode,
        direction,
        format,
        levels,
        contour: namesContours || undefined,
        of: opportunities.length > 0 ? opportunities.map(({ of }) => of) : undefined,
        version: release.version,
      }),
      dependsOn: [
        ...objectsOf(release, origin, direction),
        ...opportunityObjects(release, origin, opportunities, direction),
      ],
      isPinned: v !== undefined,
      isGeoJson: format === 'geojson',
      origin,
      mode,
      direction,
      format,
      levels,
      namesContours,
      opportunities,
    };
  },

  locate: async (release, { origin, mode }) => routable(await locateOrigin(release, origin), mode),

  price: priceOf,

  async respond(release, resolved, context, block) {
    const { mode, direction, format, levels, namesContours } = resolved;
    const counts = await countsWithin(block, resolved);
    const reached = await reachable(block, mode, direction);
    const largest = levels[levels.length - 1];
    const facts = {
      version: release.version,
      direction,
      mode,
      assumptions: assumptionsOf(release),
      block: block.geoid,
      reachable_blocks: countWithin(reached, largest),
    };
    const tokens = priceOf(resolved);
    if (format === 'blocks') {
      const contours = namesContours ? levels : null;
      const blocks = await blocksWithin(release, context.format, reached, largest, contours);
      return { body: { blocks, ...facts, ...counts?.at(-1) }, tokens };
    }
    const features: object[] = [];
    for (const [i, level] of [...levels.entries()].reverse()) {
      await release.turns.yieldIfOverdue();
      features.push({
        type: 'Feature',
        geometry: await contour(release, reached, level),
        properties: {
          contour: level,
          mode,
          reachable_blocks: countWithin(reached, level),
          ...counts?.[i],
        },
      });
    }
    return { body: { type: 'FeatureCollection', ...facts, features }, tokens };
  },
});

function priceOf({ levels }: ResolvedIsochrone): number {
  return levels.length * PLANS.charges.isochrone_contour;
}

/** The member `counts` of each contour; null if nothing is to be counted. */
async function countsWithin(
  block: OriginBlock,
  { mode, direction, levels, opportunities }: ResolvedIsochrone,
): Promise<{ counts: Record<string, number> }[] | null> {
  if (opportunities.length === 0) return null;
  const modes = [block.release.positionOf(mode)];
  const [found] = await countOpportunities(block, modes, opportunities, direction);
  const within = found.map((counts) => counts.within(levels));
  return levels.map((_, i) => ({
    counts: Object.fromEntries(opportunities.map(({ of }, o) => [of, within[o][i]])),
  }));
}

function levelsOf({ minutes, contours }: IsochroneParams): Minutes[] {
  if ((minutes === undefined) === (contours === undefined)) {
    throw invalidParameter(
      ['query', 'minutes'],
      'send exactly one of minutes and contours',
      'conflict',
    );
  }
  return contours ?? [minutes!];
}

/** Throws if the release is not the requested version, or lacks the mode or direction. */
function checkOffered(release: Release, { mode, direction, v }: IsochroneParams): void {
  if (v !== undefined && v !== release.version) {
    throw new Problem(
      'no-isochrone-data',
      `the current version is ${release.version}, not ${v}; omit v, or pin the current version`,
      { version: release.version },
    );
  }
  modePosition(release, mode);
  checkDirection(release, direction);
}

/**
 * Returns the objects that an origin's isochrones depend on: those of its county, and the block
 * polygons of the counties within reach.
 */
function objectsOf(release: Release, { counties }: BlockOrigin, direction: Direction): ObjectRef[] {
  const neighbours = [...new Set(counties.flatMap(({ reach }) => reach[direction]))];
  return [
    ...counties.flatMap((county) => [
      county.objects.index,
      county.objects.blocks,
      release.reachObject(county, direction),
    ]),
    // Counties outside the release have times but no polygons.
    ...neighbours.flatMap((fips) => release.county(fips)?.objects.blocks ?? []),
  ];
}

function originOf(release: Release, { block, lon, lat }: IsochroneParams): BlockOrigin {
  const hasPoint = lon !== undefined || lat !== undefined;
  if (block !== undefined && hasPoint) {
    throw invalidParameter(
      ['query', 'block'],
      'send block, or lon and lat, but not both',
      'conflict',
    );
  }
  if (block !== undefined) return originOfGeoid(release, block);
  if (lon !== undefined && lat !== undefined) {
    const fault = faultOfPoint({ lon, lat });
    if (fault !== null) throw new Problem('invalid-geometry', fault);
    return originOfQuery(release, lon, lat);
  }
  throw new Problem('missing-location', 'send block, or both lon and lat');
}
