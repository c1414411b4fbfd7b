import { z } from 'zod';
import type { Turns } from '../../shards/concurrency/turns.ts';
import { BOUNDS } from '../bounds.ts';
import { postEndpoint } from '../endpoint.ts';
import { centre, smallArea } from '../fields/area.ts';
import { members } from '../fields/field.ts';
import { radius } from '../fields/locations.ts';
import { polygon } from '../fields/polygon.ts';
import {
  cursor,
  FEW_ROWS,
  includeMissing,
  includePopulation,
  limit,
  NEAREST_ROWS,
} from '../fields/rows.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { queryArea, type ResolvedArea, resolveArea } from '../queries/areas/area-times.ts';
import { arealRow } from '../queries/areas/block-rows.ts';
import { drawnArea } from '../queries/areas/drawn-area.ts';
import { blocksIn } from '../queries/areas/drawn-blocks.ts';
import { circleArea, type SearchedArea } from '../queries/searched-area.ts';
import { nextCursor } from '../schemas/schemas.ts';

interface ResolvedBlocksQuery extends ResolvedArea {
  readonly area: SearchedArea;
}

const body = members({
  polygon,
  center: centre,
  radius_m: radius,
  ...NEAREST_ROWS,
  include_population: includePopulation,
  include_missing: includeMissing,
  limit,
  cursor,
});

export const blocksQuery = postEndpoint({
  access: 'posted',
  path: '/v1/blocks/query',
  operationId: 'queryBlocks',
  summary: 'Minutes to the nearest POI of each type, for all blocks of an area',
  description:
    'Send `polygon`, or `center` and `radius_m`. Returns rows for the blocks whose centre is ' +
    'in the area, ordered by GEOID, type id, mode id, `nth`. A missing row means "not within ' +
    `${BOUNDS.maxMinutes.max} minutes" or unknown: \`include_missing\` distinguishes the two. ` +
    '`nth` and `count_within` say how much choice there is. In GeoJSON each row is the outline of ' +
    'its block, and a page ends early at 4 MB. Paginated; over many counties, or many blocks ' +
    'without rows, a page may hold fewer rows than `limit`, or none, without being the last: only ' +
    'a null `next_cursor` marks the end. ' +
    'One token per row, at least one per page.',
  tag: 'Areas',
  body,
  requestExample: (marks) => ({
    ...smallArea(marks),
    limit: FEW_ROWS,
    mode: [marks.mode],
    type: [marks.type],
  }),
  rows: { geometry: 'outline' },
  responseDescription: 'A page of blocks with minutes to the nearest POI of each type.',
  response: z.object({ results: z.array(arealRow), next_cursor: nextCursor }),
  problems: ['missing-area', 'invalid-geometry', 'polygon-too-complex', 'invalid-cursor'],

  async resolve(
    release,
    { polygon, center, radius_m, ...rows },
    { cursors },
  ): Promise<ResolvedBlocksQuery> {
    const where = { polygon, center, radius_m };
    return {
      area: await drawnOrCircle(where, release.turns),
      ...resolveArea(release, cursors, 'blocks-query', where, rows, 'body'),
    };
  },

  async respond(release, resolved, context) {
    const [from] = resolved.page.position;
    const blocks = await blocksIn(release, resolved.area, from);
    return queryArea(release, context, resolved, blocks);
  },
});

type Where = Pick<z.output<typeof body>, 'polygon' | 'center' | 'radius_m'>;

async function drawnOrCircle(
  { polygon, center, radius_m }: Where,
  turns: Turns,
): Promise<SearchedArea> {
  const hasCircle = center !== undefined || radius_m !== undefined;
  if (polygon && hasCircle) {
    throw invalidParameter(
      ['body'],
      'send polygon, or center and radius_m, but not both',
      'conflict',
    );
  }
  if (polygon) return drawnArea(polygon, turns);
  if (center && radius_m !== undefined) return circleArea(center.lon, center.lat, radius_m);
  const part = center
    ? 'radius_m is missing: '
    : radius_m === undefined
      ? ''
      : 'center is missing: ';
  throw new Problem('missing-area', `${part}send polygon, or both center and radius_m`);
}
