import { z } from 'zod';
import { foldText } from '../../shards/folded-text.ts';
import { type Geoid, isGeoid } from '../../shards/geoid.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { numberWord } from '../../shards/number-words.ts';
import { BOUNDS, boundsSchema, boundsText, DEFAULT_LIMIT, LIMITS } from '../bounds.ts';
import { FIELD_DESCRIPTIONS, type ListDescription } from './field-descriptions.ts';
import { distinct, listOf } from './list.ts';
import { anyNumberText, booleanText, integerText, numberText, onceText } from './scalar-text.ts';
import { WEIGHT_SCHEMA, weightName } from './weight-name.ts';

/** No parameters: any parameter is rejected by name. */
export const NONE = z.strictObject({});

/** A parameter as a named component of the document. */
export function named<T extends z.ZodType>(id: string, parameter: T): T {
  return parameter.meta({ ...parameter.meta(), param: { id } });
}

const hasCommas = (value: unknown) => typeof value === 'string' && value.includes(',');

/** A value of a repeatable parameter; joined values get advice to repeat the parameter. */
export const singleValue = z.unknown().superRefine((value, context) => {
  if (!hasCommas(value)) return;
  const message = 'takes one value; for several, repeat the parameter';
  context.addIssue({ code: 'custom', params: { type: 'too_many' }, message });
});

export const geoidParam = named(
  'BlockGeoid',
  z
    .custom<Geoid>((value) => typeof value === 'string' && isGeoid(value), {
      error: ({ input }) =>
        Array.isArray(input) ? 'must be given once' : 'must be a census block GEOID: 15 digits',
    })
    .meta({
      description: 'Census block GEOID, 15 digits including leading zeros.',
      override: { type: 'string', pattern: '^\\d{15}$' },
    }),
);

export const optionalGeoidParam = named(
  'IsochroneBlock',
  geoidParam.optional().meta({
    description: 'Census block GEOID, 15 digits including leading zeros.',
    override: { type: 'string', pattern: '^\\d{15}$' },
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

export const modeParam = named(
  'Mode',
  repeated(
    z.enum(MODE_LABELS, { error: `must be one of ${MODE_LABELS.join(', ')}` }),
    { type: 'string', enum: [...MODE_LABELS] },
    FIELD_DESCRIPTIONS.mode,
  ),
);

export const typeParam = named(
  'Type',
  repeated(
    integerText(BOUNDS.typeId),
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

/** In the order sent, which is that of the rows. */
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

export const countyFipsParam = named(
  'CountyFips',
  z
    .string()
    .regex(/^\d{5}$/, { error: 'must be a county FIPS code: 5 digits' })
    .meta({ description: 'County FIPS code, 5 digits including leading zeros.' }),
);

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
    integerText(BOUNDS.destId),
    boundsSchema('integer', BOUNDS.destId),
    FIELD_DESCRIPTIONS.destId,
  ),
);

const LAT = {
  description: 'Latitude, WGS84 degrees.',
  override: boundsSchema('number', BOUNDS.latitude),
};
const LON = {
  description: 'Longitude, WGS84 degrees.',
  override: boundsSchema('number', BOUNDS.longitude),
};

export const latParam = named('Lat', numberText(BOUNDS.latitude).meta(LAT));
export const lonParam = named('Lon', numberText(BOUNDS.longitude).meta(LON));
export const optionalLatParam = named('LatOfCircle', latParam.optional().meta(LAT));
export const optionalLonParam = named('LonOfCircle', lonParam.optional().meta(LON));
/** Any numbers: the route reports out-of-range values as a separate problem. */
export const anyLatParam = named('LatOfOrigin', anyNumberText.optional().meta(LAT));
export const anyLonParam = named('LonOfOrigin', anyNumberText.optional().meta(LON));

/** Accepts any form: an unknown id is a 404. */
export const placeGeoidParam = named(
  'PlaceGeoid',
  z.string().meta({
    description: 'Census place GEOID, 7 digits including leading zeros.',
  }),
);

export const singleDestIdParam = named(
  'DestIdOfPath',
  integerText(BOUNDS.destId).meta({
    description: 'Stable id of a POI.',
    override: boundsSchema('integer', BOUNDS.destId),
  }),
);

export const radiusParam = named(
  'RadiusOfCircle',
  numberText(BOUNDS.radius)
    .optional()
    .meta({
      description: `Metres around the point, at most ${BOUNDS.radius.max}.`,
      override: boundsSchema('number', BOUNDS.radius),
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

/** For routes that return all rows at once unless paging is requested. */
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

/** Blocks as integers, as the catchment routes accept them. */
export const blockParam = named(
  'Block',
  repeated(
    integerText(BOUNDS.block),
    boundsSchema('integer', BOUNDS.block),
    FIELD_DESCRIPTIONS.block,
  ),
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

/** A repeatable parameter: ascending and without duplicates; undefined when absent. */
export function repeated<V extends string | number>(
  item: z.ZodType<V>,
  items: Readonly<Record<string, unknown>>,
  { what, more }: ListDescription,
) {
  return z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      listOf(singleValue.pipe(item), LIMITS.repeats, {
        none: 'is missing',
        many: `must not be repeated more than ${LIMITS.repeats} times`,
      })
        .transform((values): V[] => distinct(values))
        .optional(),
    )
    .optional()
    .meta({
      description: `${what}; repeat the parameter for several.${more}`,
      override: { type: 'array', items, maxItems: LIMITS.repeats },
    });
}
