import { z } from 'zod';
import type { Turns } from '../../shards/concurrency/turns.ts';
import { COUNTY_FIPS, PLACE_GEOID } from '../../shards/geoid.ts';
import { LIMITS } from '../bounds.ts';
import type { ExampleMarks } from '../endpoint.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import type { ProblemSlug } from '../http/problem-types.ts';
import { MAX_COUNTED_FAULTS } from '../http/request-limits.ts';
import { missing } from '../http/validation.ts';
import type { Area } from '../queries/areas/area.ts';
import { drawnArea } from '../queries/areas/drawn-area.ts';
import { circleArea } from '../queries/searched-area.ts';
import { distinct, listOf, objectOf } from './compounds.ts';
import { jsonSchemaOf, optional } from './field.ts';
import { kindOf } from './kinds.ts';
import { block, blockFault, blockNumber, point, radius } from './locations.ts';
import { polygon } from './polygon.ts';

export const AREA_PROBLEMS = [
  'missing-area',
  'invalid-geometry',
  'polygon-too-complex',
  'place-not-found',
  'county-not-found',
  'block-not-found',
] as const satisfies readonly ProblemSlug[];

const WAYS = 'polygon, center with radius_m, places, counties, blocks';

const BLOCKS_FAULT = 'must be an array of block GEOIDs of 15 digits';

/** Thousands of GEOIDs, checked in one pass, then sorted ascending without duplicates. */
const blockList = z
  .unknown()
  .transform((value, context): Float64Array => {
    const refuse = (message: string, type: string, path: number[] = []) => {
      context.addIssue({ code: 'custom', params: { type }, message, path });
      return z.NEVER;
    };
    if (!Array.isArray(value)) {
      return refuse(`${BLOCKS_FAULT}, not ${kindOf(value)}`, 'invalid_type');
    }
    if (value.length === 0) return refuse('must not be empty', 'too_small');
    if (value.length > LIMITS.areaBlocks) {
      return refuse(`must list at most ${LIMITS.areaBlocks}`, 'too_big');
    }
    const ascending = new Float64Array(value.length);
    let wrong = 0;
    for (const [i, one] of value.entries()) {
      const number = blockNumber(one);
      if (number === undefined) refuse(blockFault(one), 'invalid_format', [i]);
      else ascending[i] = number;
      if (number === undefined && ++wrong === MAX_COUNTED_FAULTS) break;
    }
    if (wrong > 0) return z.NEVER;
    ascending.sort();
    return ascending.filter((geoid, i) => i === 0 || geoid !== ascending[i - 1]);
  })
  .meta({
    override: {
      type: 'array',
      items: jsonSchemaOf(block.json),
      minItems: 1,
      maxItems: LIMITS.areaBlocks,
    },
  });

export const centre = optional(point, { description: 'Centre of a circle.' });

export const areaItem = objectOf(
  'an area',
  {
    polygon: polygon.json,
    center: centre.json,
    radius_m: radius.json,
    // A malformed code is refused as an unknown place, like a code that no place has.
    places: codes(/^/, PLACE_GEOID, 'census place GEOIDs of 7 digits', LIMITS.areaPlaces).json,
    counties: codes(COUNTY_FIPS, COUNTY_FIPS, 'county FIPS codes of 5 digits', LIMITS.areaCounties)
      .json,
    blocks: optional(
      { json: blockList },
      { description: `Up to ${LIMITS.areaBlocks} block GEOIDs.` },
    ).json,
  },
  {
    none: `must be an object with one of ${WAYS}`,
    unknown: `unknown member; an area is one of ${WAYS}`,
  },
).meta({
  id: 'Area',
  description:
    'Exactly one of `polygon`, `center` with `radius_m`, `places`, `counties` and `blocks`. A ' +
    'polygon or circle stands for the blocks whose centre is inside.',
});

export const area = optional({ json: areaItem });

const SMALL_RADIUS_M = 250;

export function smallArea({ point }: ExampleMarks) {
  return { center: point, radius_m: SMALL_RADIUS_M };
}

type AreaParams = z.output<typeof areaItem>;

/**
 * Resolves the area of a body; rejects with `missing-area`, or with `invalid-parameters` for
 * several areas or for half of a circle. `at`: the place of the area in the body.
 */
export async function requestedArea(
  asked: AreaParams | undefined,
  turns: Turns,
  at: readonly string[] = ['area'],
): Promise<Area> {
  const { polygon, center, radius_m, places, counties, blocks } = asked ?? {};
  const hasCircle = center !== undefined || radius_m !== undefined;
  const ways = [polygon, hasCircle || undefined, places, counties, blocks];
  const sent = ways.filter((way) => way !== undefined).length;
  if (sent > 1) {
    throw invalidParameter(['body', ...at], `send exactly one of ${WAYS}`, 'conflict');
  }
  if (polygon) return { kind: 'drawn', drawn: await drawnArea(polygon, turns) };
  if (places) return { kind: 'places', geoids: places };
  if (counties) return { kind: 'counties', fips: counties };
  if (blocks) return { kind: 'blocks', geoids: blocks };
  if (center && radius_m !== undefined) {
    return { kind: 'drawn', drawn: circleArea(center.lon, center.lat, radius_m) };
  }
  if (center) throw missingPart(at, 'radius_m', 'must be a number');
  if (radius_m !== undefined) throw missingPart(at, 'center', 'must be an object with lon and lat');
  throw new Problem('missing-area', `send an area in ${at.join('.')}: one of ${WAYS}`);
}

function missingPart(at: readonly string[], name: 'center' | 'radius_m', fault: string): Problem {
  const loc = ['body', ...at, name];
  return invalidParameter(loc, missing(fault), 'invalid_type');
}

/** A list of codes, from which duplicates are removed; `pattern` is that of the document. */
function codes(accepted: RegExp, pattern: RegExp, kind: string, most: number) {
  const code = z
    .string({ error: 'must be text' })
    .regex(accepted, { error: `must be one of the ${kind}, with leading zeros` })
    .meta({ override: { pattern: pattern.source } });
  const json = listOf(code, most, {
    none: `must be an array of ${kind}`,
    empty: 'must not be empty',
  }).transform((values): string[] => distinct(values));
  return optional({ json }, { description: `Up to ${most} ${kind}.` });
}
