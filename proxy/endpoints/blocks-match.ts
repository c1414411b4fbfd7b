import { z } from 'zod';
import { postEndpoint } from '../endpoint.ts';
import { AREA_PROBLEMS, area, requestedArea, smallArea } from '../fields/area.ts';
import { allOf, near } from '../fields/criteria.ts';
import { members } from '../fields/field.ts';
import { cursor, FEW_ROWS, limit, WINDOW } from '../fields/rows.ts';
import { type Area, blocksOfArea } from '../queries/areas/area.ts';
import { type Criterion, requestedCriteria } from '../queries/areas/basket.ts';
import { matchedBlock, queryMatches } from '../queries/areas/matching-blocks.ts';
import {
  checkNearPoints,
  locateNearPoints,
  type NearPoint,
} from '../queries/origins/near-points.ts';
import { type PagedRequest, pagedRequest } from '../queries/rows/pagination.ts';
import { nextCursor } from '../schemas/schemas.ts';

interface ResolvedMatch extends PagedRequest {
  readonly area: Area;
  readonly criteria: readonly Criterion[];
  readonly near: readonly NearPoint[];
}

export const blocksMatch = postEndpoint({
  access: 'posted',
  path: '/v1/blocks/match',
  operationId: 'matchBlocks',
  summary: 'Blocks of an area that meet all of several criteria',
  description:
    'Returns the blocks that meet every criterion of `all_of` and are `near` every point, ordered ' +
    'by GEOID. A block of which a criterion is not known does not match. Paginated. One token per ' +
    'row, at least one per page.',
  tag: 'Coverage',
  body: members({
    area,
    all_of: allOf,
    near,
    ...WINDOW,
    limit,
    cursor,
  }),
  requestExample: (marks) => ({
    area: smallArea(marks),
    all_of: [{ type: marks.type, mode: marks.mode, max_minutes: marks.maxMinutes }],
    near: [{ ...marks.point, mode: marks.mode, max_minutes: marks.maxMinutes }],
    limit: FEW_ROWS,
  }),
  rows: { geometry: null },
  responseDescription: 'A page of matching blocks.',
  response: z.object({ results: z.array(matchedBlock), next_cursor: nextCursor }),
  problems: [
    ...AREA_PROBLEMS,
    'invalid-cursor',
    'point-not-covered',
    'no-isochrone-data',
    'direction-not-available',
  ],

  async resolve(
    release,
    { area, all_of, near = [], limit, cursor },
    { cursors },
  ): Promise<ResolvedMatch> {
    const criteria = requestedCriteria(release, all_of);
    const where = await requestedArea(area, release.turns);
    checkNearPoints(release, near);
    const sent = {
      area: { ...area, blocks: area?.blocks && Array.from(area.blocks) },
      all_of: all_of.map((one, i) => ({ ...one, type: criteria[i].type })),
      near,
    };
    const parameters = { sent, resolved: {} };
    return {
      ...pagedRequest(cursors, 'blocks-match', parameters, { limit, cursor }, [0]),
      area: where,
      criteria,
      near,
    };
  },

  locate: async (release, resolved) => ({
    ...resolved,
    near: await locateNearPoints(release, resolved.near),
    parts: await blocksOfArea(release, resolved.area),
  }),
  respond: (release, { parts, criteria, near, page }, context, balance) =>
    queryMatches(release, context, { parts, criteria, near }, page, balance),
});
