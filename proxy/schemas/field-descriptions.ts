import { BOUNDS } from '../bounds.ts';

/** Description of a list. */
export interface ListDescription {
  readonly what: string;
  /** The rest of the description. */
  readonly more: string;
}

/** Descriptions of request fields, in queries and bodies. */
export const FIELD_DESCRIPTIONS = {
  mode: { what: 'Travel modes', more: ' Omitted: all modes of the release.' },
  type: {
    what: 'Destination type ids',
    more: ' A parent stands for all its leaves. Omitted: all.',
  },
  destId: { what: 'Only these places', more: '' },
  block: { what: 'Only these blocks, GEOIDs as integers', more: '' },
  maxMinutes: `Only what is within so many minutes, at most ${BOUNDS.maxMinutes.max}.`,
  limit: `Rows a page, ${BOUNDS.limit.min} to ${BOUNDS.limit.max}.`,
  includePopulation: 'Whether rows carry the population of their block.',
  includeMissing:
    'Whether every block of the area has a row for each wanted type and mode: where there is no time, ' +
    '`travel_time` is null and `reason` says why. Charged like any row.',
} as const;
