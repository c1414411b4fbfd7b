import { z } from 'zod';
import type { Geoid } from '../../shards/geoid.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import { type Mode, modeIdOf } from '../../shards/modes.ts';
import {
  canonicalRequest,
  countyWith,
  leavesAskedFor,
  locateBlock,
  modeLabels,
  modePositions,
} from '../answers/block-query.ts';
import { type PoiFilter, poiPage } from '../answers/poi-page.ts';
import { type MeteredPlan, meteredEndpoint } from '../endpoint.ts';
import {
  cursorParam,
  destIdParam,
  geoidParam,
  limitParam,
  maxMinutesParam,
  modeParam,
  typeParam,
} from '../openapi/parameters.ts';
import { nextCursor, poiTime } from '../openapi/schemas.ts';

interface BlockPoisPlan extends MeteredPlan {
  readonly geoid: Geoid;
  readonly county: CountyManifest;
  readonly filter: PoiFilter;
  readonly limit: number;
  /** The query without its cursor: what a cursor is bound to. */
  readonly query: string;
}

export const blockPois = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/pois',
  operationId: 'listBlockPois',
  summary: 'Minutes from a block to each single place within reach',
  description:
    'One row a place and mode within 30 minutes, ordered by mode id, then dest_id. Paginated: ' +
    'pass `next_cursor` as `cursor` until it is null. One token a row, at least one a page.',
  tag: 'Blocks',
  params: z.strictObject({ geoid: geoidParam }),
  query: z.strictObject({
    mode: modeParam,
    type: typeParam,
    dest_id: destIdParam,
    max_minutes: maxMinutesParam,
    limit: limitParam,
    cursor: cursorParam,
  }),
  response: z.object({
    block_geoid: z.string(),
    results: z.array(poiTime),
    next_cursor: nextCursor,
  }),
  example: {
    block_geoid: '990010001001000',
    results: [
      {
        dest_id: 4213,
        mode: 'walk',
        travel_time: 7.4,
        name: 'Harbor Market',
        lon: -70.0123,
        lat: 36.0211,
        address: { street: '12 Pier Street', city: 'Port Meridian', state: null, zip: '99001' },
      },
    ],
    next_cursor: null,
  },
  problems: ['block-not-found', 'invalid-cursor'],

  plan(release, { params: { geoid }, query: { cursor, ...query } }, { cursors }): BlockPoisPlan {
    const county = countyWith(release, geoid);
    const types = leavesAskedFor(release, query.type as number[] | undefined);
    const modes = modePositions(release, query.mode as Mode[] | undefined);
    const maxTenths = Math.floor((query.max_minutes ?? 30) * 10 + 1e-9);
    const asked = {
      ...{ geoid, mode: modeLabels(release, modes), type: types, dest_id: query.dest_id },
      ...{ max_tenths: maxTenths, limit: query.limit },
    };
    const bound = canonicalRequest('block-pois', asked);
    const after = cursor === undefined ? [0, -1] : cursors.verify(bound, cursor, 2);
    return {
      // The answer carries a cursor, so who signs it is part of its bytes.
      canonical: canonicalRequest('block-pois', { ...asked, after, signer: cursors.signer }),
      dependsOn: [county.objects.index, county.objects.pois],
      geoid,
      county,
      limit: query.limit,
      query: bound,
      filter: {
        modes,
        types: types && new Set(types),
        destIds: query.dest_id && new Set(query.dest_id as number[]),
        maxTenths,
        afterModeId: after[0],
        afterDestId: after[1],
      },
    };
  },

  async locate(release, { county, geoid }) {
    await locateBlock(release, county, geoid);
  },

  async answer(release, { county, geoid, filter, limit, query }, { cursors }) {
    const { ordinal } = await locateBlock(release, county, geoid);
    const pois = await release.pois(county);
    const row = await release.poiRow(pois, ordinal);
    const { results, more } = poiPage(release.manifest.modes, pois, row, filter, limit);
    const last = results.at(-1);
    const next_cursor =
      more && last ? cursors.sign(query, [modeIdOf(last.mode), last.dest_id]) : null;
    return { body: { block_geoid: geoid, results, next_cursor }, rows: results.length };
  },
});
