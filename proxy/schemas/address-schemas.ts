import { z } from 'zod';
import { MATCH_KINDS } from '../queries/addresses/address-match.ts';
import { TAKEN_FROM } from '../queries/addresses/find-addresses.ts';

/** The members of a match of an address search. */
export const MATCH_MEMBERS = {
  label: z.string(),
  kind: z.enum(MATCH_KINDS),
  lat: z.number(),
  lon: z.number(),
  geoid: z.string().meta({
    description:
      'The GEOID of the block, or of a place or county itself; of a neighbourhood, that of a block in it.',
  }),
};

/** The match of an origin or site that was sent as an address. */
export const addressMatch = z
  .object({
    address: z.string().meta({ description: 'As sent.' }),
    ...MATCH_MEMBERS,
    confidence: z.number().min(TAKEN_FROM).max(1),
  })
  .meta({ id: 'AddressMatch', description: 'The match that was taken for an address.' });
