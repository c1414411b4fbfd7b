import { z } from 'zod';
import { CHANGE_STEPS } from '../../shards/changes/block-change.ts';
import type { Release } from '../../shards/release/release.ts';
import { timingOf } from '../../shards/services.ts';
import { LIMITS } from '../bounds.ts';
import { postEndpoint } from '../endpoint.ts';
import { AREA_PROBLEMS, area, requestedArea, smallArea } from '../fields/area.ts';
import { list } from '../fields/compounds.ts';
import { members, optional, required, withDefault } from '../fields/field.ts';
import { flag, releaseName } from '../fields/kinds.ts';
import { AREA_ACCESS, opportunities } from '../fields/opportunities.ts';
import { destType, mode, WINDOW, weight, weightName } from '../fields/rows.ts';
import { namedRelease } from '../fields/served-words.ts';
import { invalidMember } from '../http/problem.ts';
import { PLANS } from '../plans.ts';
import { type Area, requireBlocks } from '../queries/areas/area.ts';
import { AREA_KINDS } from '../queries/areas/areas-of-blocks.ts';
import { SMALL_GROUP } from '../queries/areas/group-measures.ts';
import { areaOfBoth } from '../queries/changes/area-of-both.ts';
import {
  changeRow,
  type LocatedChanges,
  priceOf,
  queryChanges,
  requestedChanges,
  rowAreas,
  rowsOf,
} from '../queries/changes/changes.ts';
import { areaFacts } from '../schemas/coverage-schemas.ts';
import { noise, statedTiming } from '../schemas/schemas.ts';
import type { ProxyServices } from '../services.ts';

const CHANGES = {
  from: required(releaseName, {
    description:
      'The earlier release: label, version as in `X-Data-Release`, or name of the manifest.',
  }),
  to: required(releaseName, { description: 'The later one.' }),
  type: destType,
  of: optional(opportunities, {
    description:
      'In place of `type`: what both releases count within reach of every block, weights such as ' +
      '`jobs`, or `type:ID` (or a label) for the number of POIs.',
  }),
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

const STEPS_IN_WORDS = `${CHANGE_STEPS.slice(0, -1).join(', ')} and ${CHANGE_STEPS.at(-1)}`;

const BODY = members({ ...CHANGES, area });

interface ResolvedChanges {
  readonly asked: z.output<typeof BODY>;
  readonly area: Area;
  readonly find: ProxyServices['releases']['find'];
  readonly mostRows: number;
}

export const changes = postEndpoint({
  access: 'posted',
  path: '/v1/changes',
  operationId: 'measureChanges',
  summary: 'Gains and losses of people between two releases',
  description:
    'Compares minutes to the nearest POI of each `type`, or with `of` how many people, jobs or POIs ' +
    'are within `minutes` of a block: the sums of `weight` over the blocks of the area. `gained` and ' +
    `\`lost\`: where times are shorter and longer by at least ${STEPS_IN_WORDS} minutes, or counts ` +
    'higher and lower by at least so many percent of the count before (any rise from 0 is all). A ' +
    'time beyond 30 minutes counts as 30, so that no gain or loss is overstated. `unchanged`: by ' +
    'less than 1. `no_data`: where the mode could not be routed from the block in one release, or ' +
    'only one has the block. `total` is `gained["1"]` + `lost["1"]` + `unchanged` + `no_data`. ' +
    'Weights and areas of a block are those of `to`, or of `from` if only that has it. Means of ' +
    `groups of fewer than ${SMALL_GROUP} are null unless \`small\`. \`noise\`: by weight, as ` +
    '`/v1/meta/weights` has it. No GeoJSON, as rows are sums over areas. ' +
    '`/v1/meta/releases` lists the releases; the example compares one with itself. ' +
    `${PLANS.charges.changes} tokens an area, and one a row.`,
  tag: 'Coverage',
  body: BODY,
  requestExample: (marks) => ({
    from: marks.release,
    to: marks.release,
    area: smallArea(marks),
    mode: [marks.mode],
    type: [marks.type],
  }),
  rows: { geometry: null },
  responseDescription: 'The sums of the area.',
  response: z.object({
    from: z.string(),
    to: z.string(),
    ...statedTiming,
    area: areaFacts,
    results: z.array(changeRow),
    noise: z.record(z.string(), noise.nullable()),
  }),
  problems: [...AREA_PROBLEMS, 'point-not-covered'],

  async resolve({ turns }, asked, { releases, config }): Promise<ResolvedChanges> {
    return {
      asked,
      area: await requestedArea(asked.area, turns),
      find: (name) => releases.find(name),
      mostRows: config.batchRowBudget,
    };
  },

  async locate({ turns }, { asked, area, find, mostRows }) {
    const timing = timingOf(asked);
    const open = async (member: 'from' | 'to'): Promise<Release> => {
      const found = await namedRelease(find, asked[member], ['body', member]);
      const timed = found.at(timing);
      if (timed) return timed.withTurns(turns);
      const msg = `release ${asked[member]} ${found.timingFault(timing)}`;
      throw invalidMember(member, msg, 'percentile_not_in_release');
    };
    const pair = { before: await open('from'), after: await open('to') };
    const query = requestedChanges(pair, asked);
    const counties = await areaOfBoth(pair, area);
    requireBlocks(counties);
    const located = { pair, query, counties, areas: await rowAreas(counties, query.by) };
    const rows = rowsOf(located);
    if (rows > mostRows) {
      const msg = `the response would have ${rows} rows, and at most ${mostRows} are allowed; name fewer types, modes or minutes, or a smaller area`;
      throw invalidMember('area', msg, 'too_big');
    }
    return { asked, area, find, mostRows, ...located };
  },
  price: (asked: ResolvedChanges | (ResolvedChanges & LocatedChanges)) =>
    'counties' in asked ? priceOf(asked) : undefined,
  leastPrice: PLANS.charges.changes + PLANS.charges.row,
  namesReleases: true,
  respond: (_release, located, context) => queryChanges(located, context),
});
