import { CHANGE_STEPS } from '../../shards/changes/block-change.ts';
import { LIMITS } from '../bounds.ts';
import { AREA_KINDS } from '../queries/areas/areas-of-blocks.ts';
import { SMALL_GROUP } from '../queries/areas/group-measures.ts';
import { list } from './compounds.ts';
import { optional, required, withDefault } from './field.ts';
import { flag, phrase } from './kinds.ts';
import { AREA_ACCESS } from './opportunities.ts';
import { destType, mode, WINDOW, weight, weightName } from './rows.ts';

const releaseName = phrase((text) =>
  text.regex(/^(manifests\/)?[0-9A-Za-z][0-9A-Za-z._-]{0,80}$/, {
    error: 'must be a release: its label, its version, or the name of its manifest',
  }),
);

/** The fields of a request for changes, other than its area. */
export const CHANGES = {
  from: required(releaseName, {
    description:
      'The earlier release: label, version as in `X-Data-Release`, or name of the manifest.',
  }),
  to: required(releaseName, { description: 'The later one.' }),
  type: destType,
  of: optional(
    list({ text: weightName, json: weightName }, { of: 'weights', most: LIMITS.weightsListed }),
    {
      description:
        'In place of `type`: weights that both releases count within reach of every block, such as `jobs`.',
    },
  ),
  minutes: AREA_ACCESS.minutes,
  mode,
  ...WINDOW,
  weight,
  by: optional(
    list(
      { text: weightName, json: weightName },
      { of: 'areas and groups', empty: 'omit it', most: LIMITS.groupsListed, inOrder: true },
    ),
    {
      description:
        `One of ${AREA_KINDS.join(', ')}, for rows per area; and weights that are groups, with rows ` +
        'after those of `weight`.',
    },
  ),
  small: withDefault(flag, false, {
    description: `States means also for groups of fewer than ${SMALL_GROUP}.`,
  }),
};

/** The sizes of changes, in words. */
export const STEPS_IN_WORDS = `${CHANGE_STEPS.slice(0, -1).join(', ')} and ${CHANGE_STEPS.at(-1)}`;
