import { BOUNDS, LIMITS } from '../bounds.ts';
import { listOf, objectOf } from './compounds.ts';
import { optional, required, withDefault } from './field.ts';
import { integer } from './kinds.ts';
import { POINT } from './locations.ts';
import { directionLabel } from './opportunities.ts';
import { minutesWithin, modeLabel, nthNearest, typeName } from './rows.ts';

const criterion = objectOf('a criterion', {
  type: typeName.json,
  mode: modeLabel.json,
  max_minutes: minutesWithin.json,
  nth: withDefault(nthNearest, 1).json,
});

const criteria = {
  json: listOf(criterion, LIMITS.criteria, {
    none: 'must be an array of criteria',
    empty: 'must not be empty',
  }),
};

const CRITERIA_WORDS = {
  description:
    `Up to ${LIMITS.criteria} criteria, all to be met: the n-th nearest POI of a type is within some ` +
    'minutes by a mode. A parent type is met by any of its leaves.',
};
export const allOf = required(criteria, CRITERIA_WORDS);
export const allOfIfAny = optional(criteria, CRITERIA_WORDS);

const nearPoint = objectOf('a point', {
  ...POINT,
  mode: modeLabel.json,
  direction: withDefault(directionLabel, 'to').json,
  max_minutes: integer(BOUNDS.contour).json,
});

export const near = optional(
  {
    json: listOf(nearPoint, LIMITS.nearPoints, {
      none: 'must be an array of points',
      empty: 'must not be empty: omit it',
    }),
  },
  {
    description:
      `Up to ${LIMITS.nearPoints} points, all to be near: from the block to the block of the point ` +
      '(`direction` `to`, the default) or back (`from`) it takes at most so many whole minutes.',
  },
);
