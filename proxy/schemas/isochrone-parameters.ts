import { z } from 'zod';
import { BLOCK_GEOID } from '../../shards/geoid.ts';
import { numberWord } from '../../shards/number-words.ts';
import { BOUNDS, boundsSchema, boundsText, LIMITS } from '../bounds.ts';
import { listOf } from './list.ts';
import { geoidParam } from './location-parameters.ts';
import { hasCommas, named } from './named-parameter.ts';
import { integerText } from './scalar-text.ts';

export const optionalGeoidParam = named(
  'IsochroneBlock',
  geoidParam.optional().meta({
    description: 'Census block GEOID, 15 digits including leading zeros.',
    override: { type: 'string', pattern: BLOCK_GEOID.source },
  }),
);

const CONTOURS_FAULT = `must be 1 to ${LIMITS.contours} whole minutes ${boundsText(BOUNDS.contour)}, ascending`;

/** A single level; several values get a message naming the parameter that accepts them. */
export const minutesParam = named(
  'IsochroneMinutes',
  z
    .unknown()
    .superRefine((value, context) => {
      if (Array.isArray(value) || hasCommas(value)) {
        const message = 'takes one value; for several, use contours=10,20,30';
        context.addIssue({ code: 'custom', params: { type: 'too_many' }, message });
      }
    })
    .pipe(integerText(BOUNDS.contour))
    .optional()
    .meta({
      description: `One contour, ${BOUNDS.contour.min} to ${BOUNDS.contour.max} minutes.`,
      override: boundsSchema('integer', BOUNDS.contour),
    }),
);

/** Ascending levels: `contours=10,20,30`, with or without spaces, or the parameter repeated. */
export const contoursParam = named(
  'Contours',
  z
    .preprocess(
      (value) =>
        value === undefined
          ? undefined
          : [value].flat().flatMap((part) =>
              String(part)
                .split(',')
                .map((level) => level.trim()),
            ),
      listOf(integerText(BOUNDS.contour), LIMITS.contours, {
        none: CONTOURS_FAULT,
        many: CONTOURS_FAULT,
      })
        .refine((levels) => levels.every((level, i) => i === 0 || level > levels[i - 1]), {
          error: CONTOURS_FAULT,
        })
        .optional(),
    )
    .optional()
    .meta({
      description: `Up to ${numberWord(LIMITS.contours)} contours in minutes, ascending: \`10,20,30\`, or the parameter repeated.`,
      override: {
        type: 'array',
        items: boundsSchema('integer', BOUNDS.contour),
        minItems: 1,
        maxItems: LIMITS.contours,
      },
    }),
);
