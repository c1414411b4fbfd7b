import { z } from 'zod';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import { numberWord } from '../../shards/number-words.ts';
import { DIRECTIONS } from '../../shards/release/manifest.ts';
import { BOUNDS, LIMITS } from '../bounds.ts';
import { hasCommas, levels } from '../fields/compounds.ts';
import { optional, parameters, withDefault } from '../fields/field.ts';
import { choice, integer, phrase } from '../fields/kinds.ts';
import { blockGeoid, GEOID_WORDS, ORIGIN } from '../fields/locations.ts';
import { directionLabel, ofContours } from '../fields/opportunities.ts';
import { modeLabel, WINDOW } from '../fields/rows.ts';
import { modeSchema } from '../queries/rows/row-columns.ts';
import { geometry } from '../schemas/schemas.ts';
import { assumptionsSchema } from './assumptions.ts';

/** One contour; several values get a message that names the parameter that accepts them. */
const oneContour = z.preprocess((value, context) => {
  if (Array.isArray(value) || hasCommas(value)) {
    const message = 'takes one value; for several, use contours=10,20,30';
    context.addIssue({ code: 'custom', params: { type: 'too_many' }, message });
  }
  return value;
}, integer(BOUNDS.contour).text);

/** Ascending contours: `10,20,30`, with or without spaces, or the parameter repeated. */
const contours = z.preprocess(
  (value) =>
    [value].flat().flatMap((part) =>
      String(part)
        .split(',')
        .map((level) => level.trim()),
    ),
  levels(BOUNDS.contour, LIMITS.contours).text,
);

const EXAMPLE_MINUTES = 5;

export const isochroneQuery = parameters({
  block: optional(blockGeoid, {
    id: 'IsochroneBlock',
    description: GEOID_WORDS,
    example: ({ block }) => block,
  }),
  ...ORIGIN,
  minutes: optional(
    { text: oneContour },
    {
      id: 'IsochroneMinutes',
      description: `One contour, ${BOUNDS.contour.min} to ${BOUNDS.contour.max} minutes.`,
      example: () => EXAMPLE_MINUTES,
    },
  ),
  contours: optional(
    { text: contours },
    {
      id: 'Contours',
      description: `Up to ${numberWord(LIMITS.contours)} contours in minutes, ascending: \`10,20,30\`, or the parameter repeated.`,
    },
  ),
  mode: withDefault(modeLabel, 'walk', { description: 'Travel mode.' }),
  direction: withDefault(directionLabel, 'from', {
    description: 'Away from the origin, or towards it.',
  }),
  ...WINDOW,
  of: ofContours,
  format: withDefault(choice(['geojson', 'blocks']), 'geojson', {
    description: 'Contours, or the blocks themselves.',
  }),
  v: optional(
    phrase((text) => text.max(LIMITS.versionLength, { error: 'is too long' })),
    {
      description:
        'Store version to pin; if another is current, the response is `no-isochrone-data`.',
    },
  ),
});

export type IsochroneParams = z.output<typeof isochroneQuery>;

const isochroneFacts = {
  version: z.string(),
  direction: z.enum(DIRECTIONS),
  mode: modeSchema,
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
          mode: modeSchema,
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
