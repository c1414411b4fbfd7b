import { z } from 'zod';
import { BASE_MODES, type Mode } from '../../shards/modes.ts';
import { exactObjectOf } from '../fields/compounds.ts';
import { jsonSchemaOf, optional } from '../fields/field.ts';
import { isObject } from '../fields/kinds.ts';
import { sentOrigin } from '../fields/locations.ts';
import { DEPARTS, departs, modeLabel } from '../fields/rows.ts';
import { withoutNulls } from '../http/validation.ts';
import { geoidAsSent } from './origin-kinds.ts';
import { originList, type PoiOrigin, type SentBlock, sentBlock, sentPoi } from './origin-lists.ts';

/** A trip as sent: what its ends name may be unknown, or absent. */
export interface SentTrip {
  readonly from?: SentBlock | undefined;
  readonly to?: SentBlock | undefined;
  readonly dest_id?: PoiOrigin | undefined;
  readonly mode?: Mode | undefined;
  /** Local time of a departure, `HH:MM`. */
  readonly departs?: string | undefined;
  /** The shortened JSON of what is no object. */
  readonly sent?: string;
}

const TRIP = {
  from: optional({ json: sentBlock }, { description: 'Block where the trip begins, by GEOID.' })
    .json,
  to: optional(
    { json: sentBlock },
    { description: 'Block where the trip ends; or send `dest_id`.' },
  ).json,
  dest_id: optional({ json: sentPoi }, { description: 'POI where the trip ends; or send `to`.' })
    .json,
  mode: optional(modeLabel, {
    description: 'Travel mode. Omitted: transit, or walk in a release without transit.',
  }).json,
  departs: optional(departs, { description: DEPARTS }).json,
};

const tripObject = exactObjectOf('a trip', TRIP).refine(
  ({ to, dest_id }) => to === undefined || dest_id === undefined,
  {
    error: 'has both to, a block, and dest_id, a POI: send one of them',
    params: { type: 'conflict' },
  },
);

/** Trips; one whose ends are malformed, unknown or absent fails alone. */
export const trips = originList(
  'trips',
  z
    .unknown()
    .transform((given, context): SentTrip => {
      const isTrip = isObject(given);
      const { data, error } = tripObject.safeParse(isTrip ? withoutNulls(TRIP, given) : {});
      for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
      if (!data) return z.NEVER;
      return isTrip ? data : { ...data, sent: sentOrigin(given) };
    })
    .meta({ override: { ...jsonSchemaOf(tripObject), required: ['from'] } }),
  'Trips',
);

export const shortTrip = z.object({
  from: z.string(),
  to: z.string().optional(),
  dest_id: z.int().optional(),
  mode: z.enum(BASE_MODES).optional(),
  departs: z.string().optional(),
});

/** Whether a trip can be in `truncated`; a malformed one fails wherever it stands. */
export function isNamed({ from, to, dest_id, sent }: SentTrip): boolean {
  const isPoi = dest_id === undefined || typeof dest_id === 'number';
  return sent === undefined && from != null && to !== null && isPoi;
}

export function nameOfTrip({ from, to, dest_id, mode, departs, sent }: SentTrip): object {
  const poi = typeof dest_id === 'object' ? { dest_id: null, ...dest_id } : { dest_id };
  return {
    from: geoidAsSent(from ?? null),
    ...(to !== undefined && { to: geoidAsSent(to) }),
    ...(dest_id !== undefined && poi),
    ...(mode !== undefined && { mode }),
    ...(departs !== undefined && { departs }),
    ...(sent !== undefined && { sent }),
  };
}
