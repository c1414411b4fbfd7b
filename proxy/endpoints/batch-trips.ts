import { z } from 'zod';
import { rowBudgetOf } from '../batch/batch.ts';
import { BATCH_MEMBERS, BATCH_PROBLEMS, batchResponse, batchRules } from '../batch/batch-docs.ts';
import { shortTrip, trips } from '../batch/trip-list.ts';
import { type LocatedTrips, locateTrips, type TripsQuery, tripBatch } from '../batch/trips.ts';
import { postEndpoint } from '../endpoint.ts';
import { members } from '../fields/field.ts';
import { maxRows, spread, WINDOW } from '../fields/rows.ts';
import { invalidParameters } from '../http/problem.ts';
import { REQUEST_LIMITS } from '../http/request-limits.ts';
import { PLANS } from '../plans.ts';
import { departureOf } from '../queries/journeys/explain.ts';
import { defaultMode, modeFault } from '../queries/modes-and-types.ts';
import { explainedTrip } from '../schemas/schemas.ts';

const { explain: PRICE } = PLANS.charges;
const { spreadOrigins: SPREAD_ORIGINS } = REQUEST_LIMITS;

const RULES = batchRules(`${PRICE} tokens per trip, which counts as one row`);

export const tripsExplain = postEndpoint({
  access: 'posted',
  path: '/v1/explain',
  operationId: 'explainTrips',
  summary: 'The legs of many trips',
  description:
    '`GET /v1/blocks/{geoid}/explain` for many `trips`, each with its own ends, mode and departure. ' +
    'Trips from one block share the search of the timetable; of equally fast journeys, the legs may ' +
    `be those of another than GET finds. With \`spread\` trips may begin at up to ${SPREAD_ORIGINS} ` +
    'blocks. In CSV and Parquet a row is a leg (`leg`: its number), ' +
    'beside the facts of its trip; a trip beyond reach has one row. A trip of which an end could not ' +
    `be routed by the mode is an error, \`no-block-data\`. A trip is an origin.${RULES}`,
  tag: 'Blocks',
  body: members({ trips, spread, ...WINDOW, max_rows: maxRows }),
  requestExample: ({ block, trip }) => ({ trips: [{ from: block, ...trip }] }),
  rows: { geometry: null },
  responseDescription: 'The travel time and the legs of each trip.',
  response: z.object({
    results: z.array(explainedTrip),
    truncated: z.array(shortTrip),
    ...BATCH_MEMBERS,
  }),
  problems: BATCH_PROBLEMS,

  resolve(release, { trips, spread, max_rows }, services): TripsQuery {
    const faults = trips.flatMap(({ mode }, i) =>
      mode === undefined ? [] : modeFault(release, mode, ['body', 'trips', i, 'mode']),
    );
    if (spread && new Set(trips.map(({ from }) => from)).size > SPREAD_ORIGINS) {
      const msg = `searches all departures, from at most ${SPREAD_ORIGINS} blocks: send fewer`;
      faults.push({ loc: ['body', 'spread'], msg, type: 'too_many' });
    }
    if (faults.length > 0) throw invalidParameters(faults);
    const moded = trips.map((trip, i) => ({
      ...trip,
      position: release.positionOf(trip.mode ?? defaultMode(release)),
      departure: departureOf(release, trip.departs, ['body', 'trips', i, 'departs']),
    }));
    return { trips: moded, spread, rowBudget: rowBudgetOf({ max_rows }, services) };
  },

  locate: locateTrips,
  leastPrice: PRICE,
  respond: (release, query: LocatedTrips, context, balance) =>
    batchResponse(tripBatch(release, query, context.format, balance), context, balance),
});
