import { z } from 'zod';
import { foldText } from '../../shards/folded-text.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { BOUNDS, boundsSchema, DEFAULT_LIMIT, LIMITS } from '../bounds.ts';
import {
  DEST_ID,
  FIELD_DESCRIPTIONS,
  type ListDescription,
  TYPE_ID,
} from './field-descriptions.ts';
import { listOf } from './list.ts';
import { blockText } from './location-parameters.ts';
import { named, repeated, singleValue } from './named-parameter.ts';
import { booleanText, choice, integerText, numberText, onceText } from './scalar-text.ts';
import { WEIGHT_SCHEMA, weightName } from './weight-name.ts';

export const modeParam = named(
  'Mode',
  repeated(
    z.enum(MODE_LABELS, { error: `must be one of ${MODE_LABELS.join(', ')}` }),
    { type: 'string', enum: [...MODE_LABELS] },
    FIELD_DESCRIPTIONS.mode,
  ),
);

export const oneModeParam = named(
  'ModeOfTrip',
  choice(MODE_LABELS)
    .optional()
    .meta({
      description: 'Travel mode. Omitted: transit, or walk in a release without transit.',
      override: { type: 'string', enum: [...MODE_LABELS] },
    }),
);

export const typeParam = named(
  'Type',
  repeated(
    integerText(BOUNDS.typeId, TYPE_ID),
    boundsSchema('integer', BOUNDS.typeId),
    FIELD_DESCRIPTIONS.type,
  ),
);

export const nthParam = named(
  'Nth',
  repeated(integerText(BOUNDS.nth), boundsSchema('integer', BOUNDS.nth), FIELD_DESCRIPTIONS.nth),
);

export const oneNthParam = named(
  'OneNth',
  integerText(BOUNDS.nth)
    .default(1)
    .meta({
      description: FIELD_DESCRIPTIONS.oneNth,
      override: { ...boundsSchema('integer', BOUNDS.nth), default: 1 },
    }),
);

export const weightParam = weights('Weight', FIELD_DESCRIPTIONS.weight, LIMITS.weightsListed);

export const byParam = weights('By', FIELD_DESCRIPTIONS.by, LIMITS.groupsListed);

/** Returns the parameter of weights, which keep the order sent: that of the rows. */
function weights(name: string, { what, more }: ListDescription, most: number) {
  return named(
    name,
    z
      .preprocess(
        (value) => (value === undefined || Array.isArray(value) ? value : [value]),
        listOf(singleValue.pipe(weightName), most, {
          none: 'is missing',
          many: `must not be repeated more than ${most} times`,
        })
          .transform((names) => [...new Set(names)])
          .optional(),
      )
      .optional()
      .meta({
        description: `${what}; repeat the parameter for several.${more}`,
        override: { type: 'array', items: WEIGHT_SCHEMA, maxItems: most },
      }),
  );
}

export const countWithinParam = named(
  'CountWithin',
  integerText(BOUNDS.countWithin)
    .optional()
    .meta({
      description: FIELD_DESCRIPTIONS.countWithin,
      override: boundsSchema('integer', BOUNDS.countWithin),
    }),
);

export const destIdParam = named(
  'DestId',
  repeated(
    integerText(BOUNDS.destId, DEST_ID),
    boundsSchema('integer', BOUNDS.destId),
    FIELD_DESCRIPTIONS.destId,
  ),
);

export const singleDestIdParam = named(
  'DestIdOfPath',
  integerText(BOUNDS.destId, DEST_ID).meta({
    description: 'Stable id of a POI.',
    override: boundsSchema('integer', BOUNDS.destId),
  }),
);

export const toDestIdParam = named(
  'DestIdOfTrip',
  integerText(BOUNDS.destId, DEST_ID)
    .optional()
    .meta({
      description: 'POI where the trip ends; or send `to`.',
      override: boundsSchema('integer', BOUNDS.destId),
    }),
);

const name = onceText
  .max(LIMITS.nameLength, { error: `must be at most ${LIMITS.nameLength} characters`, abort: true })
  .refine((text) => foldText(text) !== '', { error: 'must not be blank' });

const NAME = {
  description: 'Part of the name; case and accents are ignored.',
  // Must contain more than spaces and accents.
  override: {
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.nameLength,
    pattern: '[^\\s\\u0300-\\u036f]',
  },
} as const;

export const requiredNameParam = named('PlaceName', name.meta(NAME));

export const nameParam = named('NamePart', name.optional().meta(NAME));

const flagParam = (description: string) =>
  booleanText.default(false).meta({
    description,
    override: { type: 'boolean', default: false, pattern: undefined },
  });

export const namesParam = named('Names', flagParam(FIELD_DESCRIPTIONS.names));
export const includePopulationParam = named(
  'IncludePopulation',
  flagParam(FIELD_DESCRIPTIONS.includePopulation),
);

export const includeMissingParam = named(
  'IncludeMissing',
  flagParam(FIELD_DESCRIPTIONS.includeMissing),
);

export const limitParam = named(
  'Limit',
  integerText(BOUNDS.limit)
    .default(DEFAULT_LIMIT)
    .meta({
      description: FIELD_DESCRIPTIONS.limit,
      override: { ...boundsSchema('integer', BOUNDS.limit), default: DEFAULT_LIMIT },
    }),
);

/** Limit of routes that return all rows at once unless paging is requested. */
export const optionalLimitParam = named(
  'LimitIfPaged',
  integerText(BOUNDS.limit)
    .optional()
    .meta({
      description: `${FIELD_DESCRIPTIONS.limit} Without \`limit\` and \`cursor\`, all rows are returned at once.`,
      override: boundsSchema('integer', BOUNDS.limit),
    }),
);

export const maxMinutesParam = named(
  'MaxMinutes',
  numberText(BOUNDS.maxMinutes)
    .optional()
    .meta({
      description: FIELD_DESCRIPTIONS.maxMinutes,
      override: boundsSchema('number', BOUNDS.maxMinutes),
    }),
);

export const blockParam = named(
  'Block',
  repeated(blockText, boundsSchema('integer', BOUNDS.block), FIELD_DESCRIPTIONS.block),
);

export const cursorParam = named(
  'Cursor',
  onceText
    .max(LIMITS.cursorLength, { error: 'is too long' })
    .optional()
    .meta({
      description: '`next_cursor` of the previous page, with the same other parameters.',
      override: { type: 'string', maxLength: LIMITS.cursorLength },
    }),
);
