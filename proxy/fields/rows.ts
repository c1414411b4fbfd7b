import { z } from 'zod';
import { foldText } from '../../shards/folded-text.ts';
import { BASE_PERCENTILE, BASE_WINDOW } from '../../shards/services.ts';
import { WEIGHT_NAME } from '../../shards/weights/weight.ts';
import { BOUNDS, DEFAULT_LIMIT, LIMITS } from '../bounds.ts';
import { SMALL_GROUP } from '../queries/areas/group-measures.ts';
import type { TypeName } from '../queries/modes-and-types.ts';
import { list } from './compounds.ts';
import { optional, required, several, withDefault, withSchema } from './field.ts';
import { flag, integer, number, phrase, singleFault, UNBOUNDED } from './kinds.ts';
import { block } from './locations.ts';
import { servedChoice } from './served-words.ts';

/** Rows per page in examples, few because examples should be cheap. */
export const FEW_ROWS = 2;

export const modeLabel = servedChoice('modes');

export const mode = optional(list(modeLabel, { of: 'mode labels' }), {
  id: 'Modes',
  description: several('Travel modes', ' Omitted: all modes of the release.'),
  example: (marks) => [marks.mode],
});

export const WINDOW = {
  departure: optional(withSchema(servedChoice('departures'), { default: BASE_WINDOW.name }), {
    id: 'Departure',
    description:
      'Window of departures of the transit times: `am` is a weekday from 8:00 to 9:00, every minute.',
  }),
  percentile: optional(withSchema(servedChoice('percentiles'), { default: BASE_PERCENTILE }), {
    id: 'Percentile',
    description:
      'Percentile of the transit times over the departures of the window: 10 is the time of someone ' +
      'who knows the timetable and chooses when to leave.',
  }),
};

/** A departure by its local time, `HH:MM`, which is one of the window that is read. */
export const departs = phrase((text) => text);
export const DEPARTS =
  'Explains the fastest trip by transit that leaves at this local time, such as `08:15`, instead ' +
  'of the stored time. Trips by other modes are the same at all hours, with or without it.';

export const spread = withDefault(flag, false, {
  id: 'WithSpread',
  description:
    'Adds, by transit, how the times and lines of the fastest trips differ among the departures ' +
    'of the window. Trips by other modes have none.',
});

const typeId = integer(
  BOUNDS.typeId,
  'the id or label of a destination type; see /v1/meta/destination-types',
);
const LABEL = /^[a-z][a-z0-9_]*$/;

/**
 * A destination type by its id, or by its label, which the document leaves out, since code
 * generators make wrappers for values of two types.
 */
export const typeName = { text: idOrLabel(typeId.text), json: idOrLabel(typeId.json) };

function idOrLabel(id: z.ZodType<number>): z.ZodType<TypeName> {
  return z
    .unknown()
    .transform((value, context): TypeName => {
      if (typeof value === 'string' && LABEL.test(value)) return value;
      const { data, error } = id.safeParse(value);
      for (const issue of error?.issues ?? []) context.addIssue({ ...issue });
      return data ?? z.NEVER;
    })
    .meta(id.meta() ?? {});
}

export const destType = optional(list(typeName, { of: 'destination types' }), {
  id: 'Type',
  description: several(
    'Destination types by id, or by label (`grocery_stores`)',
    ' A parent stands for all its leaves. Omitted: all types.',
  ),
  example: (marks) => [marks.type],
});

export const nthNearest = integer(BOUNDS.nth);
const { min: MIN_NTH, max: MAX_NTH } = BOUNDS.nth;

const nth = optional(
  list(nthNearest, { of: 'whole numbers', empty: 'omit it for the nearest only' }),
  {
    id: 'Nth',
    description: several(
      `Minutes to the n-th nearest POI of each type, ${MIN_NTH} to ${MAX_NTH}`,
      ' Each row then has `nth`. Omitted: the nearest.',
    ),
  },
);

export const oneNth = withDefault(nthNearest, 1, {
  id: 'OneNth',
  description: `Minutes are to the n-th nearest POI of each type, ${MIN_NTH} to ${MAX_NTH}.`,
});

/** The name of a weight; the route checks whether the release has it. */
export const weightName = z
  .string({ error: ({ input }) => singleFault('must be the name of a weight', input) })
  .regex(WEIGHT_NAME, { error: 'must be the name of a weight: lower case letters, digits, _' });
const weightNames = { text: weightName, json: weightName };

export const weight = optional(
  list(weightNames, {
    of: 'weights',
    empty: 'omit it for people',
    most: LIMITS.weightsListed,
    inOrder: true,
  }),
  {
    id: 'Weight',
    description: several(
      'Columns of counts by block to sum',
      ' `/v1/meta/weights` lists them. Omitted: `people`.',
    ),
  },
);

export const by = optional(
  list(weightNames, {
    of: 'weights',
    empty: 'omit it',
    most: LIMITS.groupsListed,
    inOrder: true,
  }),
  {
    id: 'By',
    description: several(
      'Weights that are groups, to be compared with `weight`',
      ' Each has rows of its own, and all rows have `share`, `ratio` and `gini`.',
    ),
  },
);

export const small = withDefault(flag, false, {
  id: 'Small',
  description:
    `States \`share\`, \`ratio\` and \`gini\` also for groups of fewer than ${SMALL_GROUP}, for which they ` +
    'are null otherwise: the noise of the sources is a large part of so few (`/v1/meta/weights`).',
});

const countWithin = optional(integer(BOUNDS.countWithin), {
  id: 'CountWithin',
  description:
    'Adds `count` to each row: the number of POIs of the type within this many whole minutes, ' +
    `${BOUNDS.countWithin.min} to ${BOUNDS.countWithin.max}.`,
});

export const poiId = integer(
  BOUNDS.destId,
  'the dest_id of a POI: a whole number, as in rows of POIs',
);

const destId = optional(list(poiId, { of: 'dest_ids' }), {
  id: 'DestId',
  description: several('Only these POIs'),
});

export const poiOfPath = required(
  { text: poiId.text },
  { id: 'DestIdOfPath', description: 'Stable id of a POI.', example: ({ poi }) => poi.dest_id },
);

export const blocks = optional(
  list(block, {
    of: 'block GEOIDs',
    most: LIMITS.blocksListed,
  }),
  {
    id: 'Block',
    description: several('Only these blocks, by GEOID, as text or numbers'),
  },
);

export const minutesWithin = number(BOUNDS.maxMinutes);

export const maxMinutes = optional(minutesWithin, {
  id: 'MaxMinutes',
  description: `Only destinations within this many minutes, at most ${BOUNDS.maxMinutes.max}.`,
  example: (marks) => marks.maxMinutes,
});

export const names = withDefault(flag, false, {
  id: 'Names',
  description:
    'Adds labels to each row, at no cost: `dest_type` after `dest_type_id`; after the ' +
    '`dest_id` of a POI the `dest_types` that it has, and in catchments its `name`.',
});

export const NEAREST_ROWS = {
  mode,
  ...WINDOW,
  type: destType,
  nth,
  count_within: countWithin,
  names,
};

export const POI_ROWS = {
  mode,
  ...WINDOW,
  type: destType,
  dest_id: destId,
  max_minutes: maxMinutes,
  names,
};

export const includePopulation = withDefault(flag, false, {
  id: 'IncludePopulation',
  description: 'Include the population of the block in each row.',
});

export const includeMissing = withDefault(flag, false, {
  id: 'IncludeMissing',
  description:
    'Return a row for every block of the area, requested type and mode: where there is no time, ' +
    '`travel_time` is null and `reason` says why. Charged like any other row.',
});

const rowsPerPage = integer(BOUNDS.limit);
const LIMIT_WORDS = `Rows per page, ${BOUNDS.limit.min} to ${BOUNDS.limit.max}.`;

export const limit = withDefault(rowsPerPage, DEFAULT_LIMIT, {
  id: 'Limit',
  description: LIMIT_WORDS,
  example: () => FEW_ROWS,
});

/** Limit of routes that return all rows at once unless paging is requested. */
export const limitIfPaged = optional(rowsPerPage, {
  id: 'LimitIfPaged',
  description: `${LIMIT_WORDS} Without \`limit\` and \`cursor\`, all rows are returned at once.`,
});

const cursorText = phrase((text) => text.max(LIMITS.cursorLength, { error: 'is too long' }));

export const cursor = optional(
  {
    text: cursorText.text,
    json: cursorText.json.meta({ override: { type: ['string', 'null'] } }),
  },
  {
    id: 'Cursor',
    description: {
      text: '`next_cursor` of the previous page, with the same other parameters.',
      json: '`next_cursor` of the previous page, with the same other members. Null: the first page.',
    },
  },
);

/**
 * The row limit of a batch. Its upper bound is configured: the route checks it, and the document
 * states it in `MaxRows`.
 */
export const maxRows = optional({
  json: integer(UNBOUNDED).json.meta({ override: { $ref: '#/components/schemas/MaxRows' } }),
});

/** Part of a name, with more than spaces and accents. */
export const namePart = withSchema(
  {
    text: phrase((text) =>
      text
        .max(LIMITS.nameLength, {
          error: `must be at most ${LIMITS.nameLength} characters`,
          abort: true,
        })
        .refine((part) => foldText(part) !== '', { error: 'must not be blank' }),
    ).text,
  },
  { minLength: 1, pattern: '[^\\s\\u0300-\\u036f]' },
);

export const NAME_WORDS = 'Part of the name; case and accents are ignored.';

export const nameSearched = optional(namePart, { id: 'NamePart', description: NAME_WORDS });
