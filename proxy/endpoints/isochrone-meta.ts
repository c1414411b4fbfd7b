import { z } from 'zod';
import { freeEndpoint } from '../endpoint.ts';
import {
  assumptionsOf,
  assumptionsSchema,
  DIRECTIONS,
  MAX_MINUTES,
} from '../isochrone/assumptions.ts';
import { NONE } from '../openapi/parameters.ts';
import { modeLabel } from '../openapi/schemas.ts';

export const isochroneMeta = freeEndpoint({
  access: 'free',
  path: '/v1/isochrone/meta',
  operationId: 'getIsochroneMeta',
  summary: 'The isochrone store: version, modes, directions, assumptions',
  description: 'What isochrones of the release in force rest on. `version` is what `v` pins.',
  tag: 'Isochrones',
  params: NONE,
  query: NONE,
  response: z.object({
    version: z.string(),
    directions: z.array(z.enum(DIRECTIONS)),
    modes: z.array(modeLabel),
    max_minutes: z.int(),
    dest_set: z.string().optional(),
    assumptions: assumptionsSchema,
  }),
  example: {
    version: '2026-11-21-0a1b2c3d4e5f',
    directions: ['to', 'from'],
    modes: ['walk', 'bike', 'transit'],
    max_minutes: 60,
    dest_set: 'blocks',
    assumptions: { max_trip_duration_min: 60, transit_percentile: 10, transit_window_min: 60 },
  },
  problems: [],
  cache: 'catalogue',
  answer({ releases }) {
    const release = releases.current;
    return {
      body: {
        version: release.version,
        directions: DIRECTIONS,
        modes: release.manifest.modes,
        max_minutes: MAX_MINUTES,
        dest_set: 'blocks',
        assumptions: assumptionsOf(release),
      },
    };
  },
});
