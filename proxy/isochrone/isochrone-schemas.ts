import { z } from 'zod';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { DIRECTIONS } from '../../shards/release/manifest.ts';
import { LIMITS } from '../bounds.ts';
import {
  contoursParam,
  minutesParam,
  optionalGeoidParam,
} from '../schemas/isochrone-parameters.ts';
import { anyLatParam, anyLonParam } from '../schemas/location-parameters.ts';
import { contourOfParam } from '../schemas/opportunity-members.ts';
import { choice, onceText } from '../schemas/scalar-text.ts';
import { geometry, modeLabel } from '../schemas/schemas.ts';
import { WINDOW_PARAMS } from '../schemas/window-parameters.ts';
import { assumptionsSchema } from './assumptions.ts';

/** The query of an isochrone. */
export const isochroneQuery = z.strictObject({
  block: optionalGeoidParam,
  lon: anyLonParam,
  lat: anyLatParam,
  minutes: minutesParam,
  contours: contoursParam,
  mode: choice(MODE_LABELS).default('walk').meta({ description: 'Travel mode.' }),
  direction: choice(DIRECTIONS)
    .default('from')
    .meta({ description: 'Away from the origin, or towards it.' }),
  ...WINDOW_PARAMS,
  of: contourOfParam,
  format: choice(['geojson', 'blocks'])
    .default('geojson')
    .meta({ description: 'Contours, or the blocks themselves.' }),
  v: onceText.max(LIMITS.versionLength, { error: 'is too long' }).optional().meta({
    description:
      'Store version to pin; if another is current, the response is `no-isochrone-data`.',
  }),
});

export type IsochroneParams = z.output<typeof isochroneQuery>;

const isochroneFacts = {
  version: z.string(),
  direction: z.enum(DIRECTIONS),
  mode: modeLabel,
  assumptions: assumptionsSchema,
  block: z.string().regex(BLOCK_GEOID),
  reachable_blocks: z.int(),
};

const counts = z
  .record(z.string(), z.int())
  .optional()
  .meta({ description: 'With `of`: how many of each are within reach.' });

/** The response with `format=geojson`. */
export const contoursBody = z
  .object({
    type: z.literal('FeatureCollection'),
    ...isochroneFacts,
    features: z.array(
      z.object({
        type: z.literal('Feature'),
        geometry,
        properties: z.object({
          contour: z.int(),
          mode: modeLabel,
          reachable_blocks: z.int(),
          counts,
        }),
      }),
    ),
  })
  .meta({ id: 'Isochrone', description: '`format=geojson`: largest contour first.' });

/** The response with `format=blocks`. */
export const blocksBody = z
  .object({
    blocks: z.array(
      z.object({
        geoid: z.string(),
        travel_min: z.int(),
        contour: z
          .int()
          .optional()
          .meta({ description: 'With `contours`: the smallest contour that contains the block.' }),
      }),
    ),
    ...isochroneFacts,
    counts,
  })
  .meta({ id: 'IsochroneBlocks', description: '`format=blocks`: whole minutes, rounded up.' });
