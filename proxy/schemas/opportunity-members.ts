import { z } from 'zod';
import type { ZodOpenApiMetadata } from 'zod-openapi';
import { MAX_POI_MINUTES } from '../../shards/matrix/row-codec.ts';
import { DIRECTIONS } from '../../shards/release/manifest.ts';
import { WEIGHT_NAME } from '../../shards/weights/weight.ts';
import { BOUNDS, boundsSchema, boundsText, DEFAULT_MINUTES, LIMITS } from '../bounds.ts';
import { DECAY_PATTERN, decayOf } from '../queries/opportunities/decay.ts';
import { integer, oneOf } from './body-members.ts';
import { listOf } from './list.ts';
import { named, singleValue } from './named-parameter.ts';
import { booleanText, choice, integerText, onceText } from './scalar-text.ts';

const OF_PATTERN = `^(?:type:\\d{1,9}|${WEIGHT_NAME.source.slice(1, -1)})$`;
const of = z.string({ error: 'must be text' }).regex(new RegExp(OF_PATTERN), {
  error: 'must be a weight such as people, or a destination type such as type:101',
});
const OF: ZodOpenApiMetadata = {
  description:
    'Weights of the release (`people`, `jobs`, …; see `/v1/meta/weights`), or `type:ID` for the ' +
    'number of POIs of a destination type. Omitted: `people`.',
  override: {
    type: 'array',
    items: { type: 'string', pattern: OF_PATTERN },
    minItems: 1,
    maxItems: LIMITS.weightsListed,
  },
};

const LEVELS_FAULT = `must be 1 to ${LIMITS.minutesListed} whole minutes ${boundsText(BOUNDS.contour)}, ascending`;
const ascends = (levels: readonly number[]) =>
  levels.every((level, i) => i === 0 || level > levels[i - 1]);
const MINUTES: ZodOpenApiMetadata = {
  description:
    `Time limits in minutes, ascending; up to ${MAX_POI_MINUTES} for \`type:\`. Omitted: ${DEFAULT_MINUTES.join(', ')} ` +
    `(${DEFAULT_MINUTES.filter((one) => one <= MAX_POI_MINUTES).join(', ')} for \`type:\`).`,
  override: {
    type: 'array',
    items: boundsSchema('integer', BOUNDS.contour),
    minItems: 1,
    maxItems: LIMITS.minutesListed,
  },
};

const DECAY: ZodOpenApiMetadata = {
  description:
    '`step`: counts within `minutes`. `linear:M`, `exponential:HALF_LIFE`, `logistic:CENTER:SD` ' +
    '(minutes, over 0 and at most 60): one count, to which each opportunity adds 1 − t/M, ' +
    '2^(−t/HALF_LIFE) or 1/(1 + e^((t − CENTER)·π/(SD·√3))) by its time t (Hansen, 1959; Kwan, ' +
    '1998; the last is the logistic distribution of that mean and standard deviation).',
  override: { type: 'string', pattern: DECAY_PATTERN, default: 'step' },
};
const isDecay = (text: string) => decayOf(text) !== undefined;
const DECAY_FAULT = {
  error: 'must be step, linear:M, exponential:HALF_LIFE or logistic:CENTER:SD, minutes up to 60',
};

const CURVE: ZodOpenApiMetadata = {
  description: 'Count for every minute up to 60 (30 for `type:`), in place of `minutes`.',
  override: { type: 'boolean', default: false },
};
const DIRECTION = { description: 'From the origin, or towards it.' };

const repeatable = (value: unknown) =>
  value === undefined || Array.isArray(value) ? value : [value];
const manyOf = {
  none: 'is missing',
  many: `must not be repeated more than ${LIMITS.weightsListed} times`,
};

const repeatedOf = z
  .preprocess(repeatable, listOf(singleValue.pipe(of), LIMITS.weightsListed, manyOf).optional())
  .optional();

/** Parameter of isochrones, which count nothing by default. */
export const contourOfParam = named(
  'OfContours',
  repeatedOf.meta({
    ...OF,
    description:
      'Weights of the release, or `type:ID`, to count within each contour; see ' +
      '`/v1/meta/weights`. Omitted: none.',
  }),
);

/** Parameters of the GET routes for opportunities. */
export const ACCESS_PARAMS = {
  direction: named('Direction', choice(DIRECTIONS).default('from').meta(DIRECTION)),
  of: named('Of', repeatedOf.meta(OF)),
  minutes: named(
    'AccessMinutes',
    z
      .preprocess(
        repeatable,
        listOf(singleValue.pipe(integerText(BOUNDS.contour)), LIMITS.minutesListed, {
          none: LEVELS_FAULT,
          many: LEVELS_FAULT,
        })
          .refine(ascends, { error: LEVELS_FAULT })
          .optional(),
      )
      .optional()
      .meta(MINUTES),
  ),
  curve: named('Curve', booleanText.default(false).meta(CURVE)),
  decay: named('Decay', onceText.refine(isDecay, DECAY_FAULT).default('step').meta(DECAY)),
};

const EMPTY = 'must not be empty: omit it for the default';

/** Body members of the batch of opportunities. */
export const ACCESS_MEMBERS = {
  direction: oneOf(DIRECTIONS).default('from').meta(DIRECTION),
  of: listOf(of, LIMITS.weightsListed, {
    none: 'must be an array of weights and types',
    empty: EMPTY,
    many: `must list at most ${LIMITS.weightsListed}`,
  })
    .optional()
    .meta(OF),
  minutes: listOf(integer(BOUNDS.contour), LIMITS.minutesListed, {
    none: LEVELS_FAULT,
    empty: LEVELS_FAULT,
    many: LEVELS_FAULT,
  })
    .refine(ascends, { error: LEVELS_FAULT })
    .optional()
    .meta(MINUTES),
  curve: z.boolean({ error: 'must be true or false' }).default(false).meta(CURVE),
  decay: z
    .string({ error: 'must be text' })
    .refine(isDecay, DECAY_FAULT)
    .default('step')
    .meta(DECAY),
};
