import { z } from 'zod';
import { DIRECTIONS } from '../../shards/manifest.ts';
import { BOUNDS } from '../bounds.ts';
import { freeEndpoint } from '../endpoint.ts';
import { assumptionsOf, assumptionsSchema } from '../isochrone/assumptions.ts';
import { NONE } from '../schemas/parameters.ts';
import { modeLabel } from '../schemas/schemas.ts';

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
    directions: ['from', 'to'],
    modes: ['walk', 'bike', 'transit'],
    max_minutes: 60,
    dest_set: 'blocks',
    assumptions: {
      max_trip_duration_min: 60,
      transit_departure: '2026-03-11T08:00:00',
      transit_percentile: 10,
      transit_window_min: 60,
      feeds: [
        { file: 'mdb-247.zip', feed_id: 'mta', agency: 'Demo Transit', service_date: '2026-03-11' },
      ],
    },
  },
  problems: [],
  cache: 'catalogue',
  answer({ releases }) {
    const release = releases.current;
    return {
      body: {
        version: release.version,
        directions: release.manifest.directions,
        modes: release.manifest.modes,
        max_minutes: BOUNDS.contour.max,
        dest_set: 'blocks',
        assumptions: assumptionsOf(release),
      },
    };
  },
});
