import type { ReleaseMode } from '../../shards/units.ts';
import { meteredEndpoint } from '../endpoint.ts';
import { optional, parameters } from '../fields/field.ts';
import { blockGeoid, geoid } from '../fields/locations.ts';
import { DEPARTS, departs, modeLabel, poiId, spread, WINDOW } from '../fields/rows.ts';
import { invalidParameter } from '../http/problem.ts';
import type { ResolvedQuery } from '../metering/query-cache.ts';
import { PLANS } from '../plans.ts';
import {
  departureOf,
  explainTrips,
  locateEnd,
  objectsOfTrip,
  type TripEnd,
} from '../queries/journeys/explain.ts';
import type { TripOptions } from '../queries/journeys/window-trips.ts';
import { defaultMode, modePosition } from '../queries/modes-and-types.ts';
import { type BlockOrigin, locateOrigin, originOfGeoid } from '../queries/origins/origin-block.ts';
import { unroutedMetadata, unroutedModes } from '../queries/origins/unrouted.ts';
import { canonicalRequest } from '../queries/rows/pagination.ts';
import { explainedTrip, unrouted } from '../schemas/schemas.ts';

interface ResolvedTrip extends ResolvedQuery {
  readonly origin: BlockOrigin;
  readonly end: TripEnd;
  readonly mode: ReleaseMode;
  readonly options: TripOptions;
}

export const explain = meteredEndpoint({
  access: 'metered',
  path: '/v1/blocks/{geoid}/explain',
  operationId: 'explainTrip',
  summary: 'The legs of a trip from a block to a block or a POI',
  description:
    'The travel time of the trip, as the other routes have it, and the legs of a trip that takes ' +
    'as long: walks, waits, rides and transfers, whose minutes add up to it. By transit the legs ' +
    'are of the first departure of the window that takes as long as the percentile states. ' +
    'Minutes are whole between blocks, and tenths to POIs. `travel_time` is null, without legs, ' +
    'for a trip beyond reach: over 60 minutes to a block, or over 30 to a POI; or, with ' +
    `\`unrouted\`, for one that is not known. ${PLANS.charges.explain} tokens.`,
  tag: 'Blocks',
  params: parameters({ geoid }),
  query: parameters({
    to: optional(blockGeoid, {
      id: 'BlockOfTrip',
      description: 'Block where the trip ends, by GEOID; or send `dest_id`.',
    }),
    dest_id: optional(poiId, {
      id: 'DestIdOfTrip',
      description: 'POI where the trip ends; or send `to`.',
      example: ({ trip }) => trip.dest_id,
    }),
    mode: optional(modeLabel, {
      id: 'ModeOfTrip',
      description: 'Travel mode. Omitted: transit, or walk in a release without transit.',
      example: ({ trip }) => trip.mode,
    }),
    ...WINDOW,
    departs: optional(departs, { id: 'Departs', description: DEPARTS }),
    spread,
  }),
  responseDescription: 'The travel time and the legs.',
  response: explainedTrip.extend({
    unrouted: unrouted.meta({
      description:
        'Why the mode could not be routed from the block or, if it could, to the block where the ' +
        'trip ends. The travel time is then not known.',
    }),
  }),
  problems: ['block-not-found', 'poi-not-found'],

  resolve(release, { params: { geoid }, query }): ResolvedTrip {
    const { to, dest_id, mode: label, departs, spread } = query;
    const origin = originOfGeoid(release, geoid);
    const mode = modePosition(release, label ?? defaultMode(release));
    if ((to === undefined) === (dest_id === undefined)) {
      const msg = 'send exactly one of to, a block, and dest_id, a POI';
      throw invalidParameter(['query', 'to'], msg, 'conflict');
    }
    const departure = departureOf(release, departs, ['query', 'departs']);
    const end: TripEnd = to === undefined ? { destId: dest_id! } : { geoid: to };
    return {
      canonical: canonicalRequest('explain', {
        geoid,
        to,
        dest_id,
        mode: release.services[mode].mode,
        departs: departure,
        spread: spread || undefined,
      }),
      dependsOn: objectsOfTrip(release, origin.county, end, mode),
      origin,
      end,
      mode,
      options: { departure, spread },
    };
  },

  async locate(release, { origin, end }) {
    const block = await locateOrigin(release, origin);
    return { block, endBlock: await locateEnd(release, block, end) };
  },

  price: () => PLANS.charges.explain,

  async respond(release, { end, mode, options }, _context, { block, endBlock }) {
    const unknown = unroutedModes(block, [mode]) ?? (endBlock && unroutedModes(endBlock, [mode]));
    const body = {
      block: block.geoid,
      to: 'geoid' in end ? end.geoid : end.destId,
      mode: release.services[mode].mode,
      departure: release.timing.departure,
      ...(await explainTrips(release, block, [{ end, mode, options }]))[0],
      ...unroutedMetadata(unknown),
    };
    return { body, tokens: PLANS.charges.explain };
  },
});
