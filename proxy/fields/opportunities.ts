import { ACCESS_MINUTES } from '../../shards/access/access-columns.ts';
import { MAX_POI_MINUTES } from '../../shards/matrix/row-codec.ts';
import { DIRECTIONS } from '../../shards/release/manifest.ts';
import { WEIGHT_NAME } from '../../shards/weights/weight.ts';
import { BOUNDS, DEFAULT_MINUTES, LIMITS } from '../bounds.ts';
import { AREA_KINDS } from '../queries/areas/areas-of-blocks.ts';
import { SMALL_GROUP } from '../queries/areas/group-measures.ts';
import { DECAY_PATTERN, decayOf } from '../queries/opportunities/decay.ts';
import { levels, list } from './compounds.ts';
import { optional, several, withDefault, withSchema } from './field.ts';
import { choice, flag, phrase } from './kinds.ts';
import { weightName } from './rows.ts';

export const directionLabel = choice(DIRECTIONS);

const opportunity = phrase((text) =>
  text.regex(new RegExp(`^(?:type:[a-z0-9_]{1,64}|${WEIGHT_NAME.source.slice(1, -1)})$`), {
    error:
      'must be a weight such as people, or a destination type such as type:101 or type:supermarkets',
  }),
);

export const opportunities = list(opportunity, {
  of: 'weights and types',
  empty: 'omit it for the default',
  most: LIMITS.weightsListed,
});

export const ofContours = optional(opportunities, {
  id: 'OfContours',
  description:
    'Weights of the release, or `type:ID` (or a label), to count within each contour; see ' +
    '`/v1/meta/weights`. Omitted: none.',
});

export const ACCESS = {
  direction: withDefault(directionLabel, 'from', {
    id: 'Direction',
    description: 'From the origin, or towards it.',
  }),
  of: optional(opportunities, {
    id: 'Of',
    description:
      'Weights of the release (`people`, `jobs`, …; see `/v1/meta/weights`), or `type:ID` (or a label) for the ' +
      'number of POIs of a destination type. Omitted: `people`.',
  }),
  minutes: optional(levels(BOUNDS.contour, LIMITS.minutesListed), {
    id: 'AccessMinutes',
    example: () => [30],
    description:
      `Time limits in minutes, ascending; up to ${MAX_POI_MINUTES} for \`type:\`. Omitted: ${DEFAULT_MINUTES.join(', ')} ` +
      `(${DEFAULT_MINUTES.filter((one) => one <= MAX_POI_MINUTES).join(', ')} for \`type:\`).`,
  }),
  curve: withDefault(flag, false, {
    id: 'Curve',
    description: 'Count for every minute up to 60 (30 for `type:`), in place of `minutes`.',
  }),
  decay: withDefault(
    withSchema(
      phrase((text) =>
        text.refine((decay) => decayOf(decay) !== undefined, {
          error:
            'must be step, linear:M, exponential:HALF_LIFE or logistic:CENTER:SD, minutes up to 60',
        }),
      ),
      { pattern: DECAY_PATTERN },
    ),
    'step',
    {
      id: 'Decay',
      description:
        '`step`: counts within `minutes`. `linear:M`, `exponential:HALF_LIFE`, `logistic:CENTER:SD` ' +
        '(minutes, over 0 and at most 60): one count, to which each opportunity adds 1 − t/M, ' +
        '2^(−t/HALF_LIFE) or 1/(1 + e^((t − CENTER)·π/(SD·√3))) by its time t (Hansen, 1959; Kwan, ' +
        '1998; the last is the logistic distribution of that mean and standard deviation).',
    },
  ),
};

/** Fields of the access of areas: of the counts that the release has for every block. */
export const AREA_ACCESS = {
  direction: ACCESS.direction,
  of: optional(opportunities, {
    id: 'OfAccess',
    description: several(
      'Weights of the release with `area_access` in `/v1/meta/weights`, or `type:ID` (or a ' +
        'label) for the number of POIs of one of its `area_access_types`',
      ' Omitted: `people`.',
    ),
  }),
  minutes: optional(levels(BOUNDS.contour, LIMITS.minutesListed), {
    id: 'AreaAccessMinutes',
    example: () => [30],
    description: `Some of ${ACCESS_MINUTES.join(', ')}, ascending; up to ${MAX_POI_MINUTES} for \`type:\`. Omitted: all.`,
  }),
  by: optional(choice(AREA_KINDS), {
    id: 'AveragedBy',
    example: () => 'county',
    description: 'A row per area of this kind, with the average of its blocks. Omitted: per block.',
  }),
  weight: optional(
    { text: weightName, json: weightName },
    {
      id: 'AveragedWeight',
      description: 'With `by`: the weight by which blocks count in the average. Omitted: `people`.',
    },
  ),
  small: withDefault(flag, false, {
    id: 'SmallAveraged',
    description:
      `With \`by\`: averages by a \`weight\` other than people also where those of fewer than ${SMALL_GROUP} ` +
      'are known; such areas have no row otherwise.',
  }),
  include_missing: withDefault(flag, false, {
    id: 'IncludeMissingAccess',
    description:
      'Return a row for every block of the area, or with `by` for every tract, place or county: ' +
      'where there is no count, `count` is null and `reason` says why. Charged like any other row.',
  }),
};
