import { z } from 'zod';
import { BOUNDS, DEFAULT_ADDRESSES_FOUND, LIMITS } from '../bounds.ts';
import { freeEndpoint } from '../endpoint.ts';
import { NONE, optional, parameters, required, withDefault } from '../fields/field.ts';
import { integer } from '../fields/kinds.ts';
import { nearPoint } from '../fields/locations.ts';
import { namePart } from '../fields/rows.ts';
import { invalidParameter } from '../http/problem.ts';
import {
  findAddresses,
  LEAST_CONFIDENCE,
  NO_ADDRESSES,
  TAKEN_FROM,
  TOO_WIDE,
} from '../queries/addresses/find-addresses.ts';
import { refuseExchanged } from '../queries/exchanged-coordinates.ts';
import { MATCH_MEMBERS } from '../schemas/schemas.ts';

export const addresses = freeEndpoint({
  access: 'free',
  path: '/v1/addresses',
  operationId: 'findAddresses',
  summary: 'Search addresses',
  description:
    'Best match first: a house number that is on the map (`address`) or estimated between others ' +
    '(`interpolated`), a `street`, an `intersection` (`Plum Avenue & 5th Street`), `coordinates` ' +
    '(latitude first), a `block`, a `neighbourhood` of OpenStreetMap as a point in it, a census ' +
    '`place`, a `county` by code or name. Abbreviations, missing ' +
    'directions, cities and ZIP codes, and a letter or two wrong in a name of five letters are ' +
    `understood. \`confidence\`, 0 to 1, falls with each difference from the text, and with each ` +
    'other match that fits about as well; nothing below ' +
    `${LEAST_CONFIDENCE} is listed. From ${TAKEN_FROM} on a match may be taken without asking: ` +
    'matches in two blocks that fit equally well are both below it, as is a street whose number is ' +
    'not known, and a match in another state or city than the text names. Only releases that were built with addresses have those, streets and neighbourhoods.',
  tag: 'Places',
  params: NONE,
  query: parameters({
    q: required(namePart, {
      id: 'AddressText',
      description: `Address, intersection, street, coordinates, GEOID, neighbourhood, place or county; at most ${LIMITS.nameLength} characters.`,
      example: ({ point: { lat, lon } }) => `${lat}, ${lon}`,
    }),
    near: optional(nearPoint, {
      id: 'NearPoint',
      description:
        '`lon,lat`, WGS84 degrees: matches near it are preferred, and counties around it are searched where the text names no city and no ZIP code.',
      example: ({ point: { lat, lon } }) => `${lon},${lat}`,
    }),
    limit: withDefault(integer(BOUNDS.addressesFound), DEFAULT_ADDRESSES_FOUND, {
      description: `Maximum number of matches, ${BOUNDS.addressesFound.min} to ${BOUNDS.addressesFound.max}.`,
    }),
  }),
  responseDescription: 'The matches.',
  response: z.object({
    results: z.array(
      z.object({
        ...MATCH_MEMBERS,
        confidence: z.number().min(LEAST_CONFIDENCE).max(1),
        distance_m: z
          .number()
          .nullable()
          .meta({ description: 'From `near`, in metres; null without it.' }),
      }),
    ),
    note: z.string().optional().meta({
      description: 'Only where nothing certain is found in a release without addresses: says so.',
    }),
  }),
  problems: [],
  cache: 'catalogue',
  async respond({ releases }, { query: { q, near, limit } }) {
    if (near) refuseExchanged(releases.current, near, ['query', 'near']);
    const release = releases.current;
    const results = await findAddresses(release, q, near ?? null, limit);
    const isSure = results?.some(({ confidence }) => confidence >= TAKEN_FROM);
    const lacks = !isSure && !(await release.addressDirectory());
    if (results !== null) return { body: { results, ...(lacks && { note: NO_ADDRESSES }) } };
    const msg = `${TOO_WIDE}, or near`;
    throw invalidParameter(['query', 'q'], msg, 'too_wide');
  },
});
