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
