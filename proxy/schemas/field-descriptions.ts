import { BOUNDS } from '../bounds.ts';

/** Kind of value that a destination type must be. */
export const TYPE_ID = 'the id of a destination type; see /v1/meta/destination-types';

/** Kind of value that a POI must be. */
export const DEST_ID = 'the dest_id of a POI: a whole number, as in rows of POIs';

/** Description of a list. */
export interface ListDescription {
  readonly what: string;
  /** The rest of the description. */
  readonly more: string;
}

/** Descriptions of request fields, in queries and bodies. */
export const FIELD_DESCRIPTIONS = {
  mode: { what: 'Travel modes', more: ' Omitted: all modes of the release.' },
  departure:
    'Window of departures of the transit times: `am` is a weekday from 8:00 to 9:00, every minute.',
  percentile:
    'Percentile of the transit times over the departures of the window: 10 is the time of someone ' +
    'who knows the timetable and chooses when to leave.',
  type: {
    what: 'Destination type ids',
    more: ' A parent stands for all its leaves. Omitted: all types.',
  },
  destId: { what: 'Only these POIs', more: '' },
  block: { what: 'Only these blocks, by GEOID, as text or numbers', more: '' },
  maxMinutes: `Only destinations within this many minutes, at most ${BOUNDS.maxMinutes.max}.`,
  nth: {
    what: `Minutes to the n-th nearest POI of each type, ${BOUNDS.nth.min} to ${BOUNDS.nth.max}`,
    more: ' Each row then has `nth`. Omitted: the nearest.',
  },
  oneNth: `Minutes are to the n-th nearest POI of each type, ${BOUNDS.nth.min} to ${BOUNDS.nth.max}.`,
  weight: {
    what: 'Columns of counts by block to sum',
    more: ' `/v1/meta/weights` lists them. Omitted: `people`.',
  },
  by: {
    what: 'Weights that are groups, to be compared with `weight`',
    more: ' Each has rows of its own, and all rows have `share`, `ratio` and `gini`.',
  },
  countWithin:
    'Adds `count` to each row: the number of POIs of the type within this many whole minutes, ' +
    `${BOUNDS.countWithin.min} to ${BOUNDS.countWithin.max}.`,
  limit: `Rows per page, ${BOUNDS.limit.min} to ${BOUNDS.limit.max}.`,
  names:
    'Adds labels to each row, at no cost: `dest_type` after `dest_type_id`; after the ' +
    '`dest_id` of a POI the `dest_types` that it has, and in catchments its `name`.',
  includePopulation: 'Include the population of the block in each row.',
  includeMissing:
    'Return a row for every block of the area, requested type and mode: where there is no time, ' +
    '`travel_time` is null and `reason` says why. Charged like any other row.',
} as const;
