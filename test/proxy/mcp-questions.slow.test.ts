import { beforeAll, expect, test } from 'vitest';
import { callTool } from '../support/mcp-client.ts';
import { PlainRows } from '../support/plain-rows.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests({ config: { accountUrl: 'https://account.example.org' } });

/**
 * Upper bounds on the calls that a question takes, and on the characters of a result: 1,500 tokens
 * of a model, at the 2.5 to 4.3 characters per token that results of these questions have.
 */
const MAX_CALLS = 3;
const MAX_RESULT = 3_750;

/** Data of a tool's result; of an error, the options to choose from. */
// biome-ignore lint/suspicious/noExplicitAny: each tool has members of its own.
type Data = any;
type Call = readonly [tool: string, args: object];

interface Question {
  readonly who: 'home seeker' | 'planner' | 'researcher';
  readonly asks: string;
  /** Calls of tools; one that needs an earlier result is a function of it. */
  readonly calls: readonly (Call | ((earlier: Data) => Call))[];
  /** The answer as read from the results. */
  readonly reads: (...results: Data[]) => unknown;
  /** The right answer, from plain rows. */
  readonly truth: (city: PlainRows) => unknown;
  /** Price of the calls in tokens, by the price list. */
  readonly costs: number | ((city: PlainRows) => number | Promise<number>);
}

const HOME = { lat: 36, lon: -70.0066 };
const ORIGIN = `${HOME.lat},${HOME.lon}`;
const WORK = { lat: 36.0003, lon: -69.9907 };
const PORT = '9957600';
const HALCYON = '9931200';
const PARKS = [511, 512, 513];
const BAKERIES = { area: '99003', all_of: [{ type: 'bakery', max_minutes: 6 }] };

const homeBlock = (city: PlainRows) => city.blockAt(HOME.lat, HOME.lon);
/** Whether a block has any of some types within the given minutes. */
const isNear =
  (city: PlainRows, mode: 'walk' | 'bike' | 'transit', types: number[], minutes: number) =>
  (geoid: string) =>
    types.some((type) => city.minutes(geoid, mode, type) <= minutes);
const share = (part: number, total: number) => Number(((100 * part) / total).toFixed(1));

const QUESTIONS: readonly Question[] = [
  {
    who: 'home seeker',
    asks: 'How long is the walk from this corner to the nearest grocery store?',
    calls: [['explain_block', { origin: ORIGIN, types: ['groceries'] }]],
    reads: ({ minutes }) => minutes.walk['Grocery stores'],
    truth: async (city) => city.minutes(await homeBlock(city), 'walk', 101),
    costs: 1,
  },
  {
    who: 'home seeker',
    asks: 'Which is nearer on foot, a drugstore or a coffee shop?',
    calls: [['explain_block', { origin: ORIGIN, types: ['drugstore', 'coffee shop'] }]],
    reads: ({ minutes: { walk } }) => (walk.Pharmacies < walk.Cafés ? 'drugstore' : 'coffee'),
    truth: async (city) => {
      const block = await homeBlock(city);
      return city.minutes(block, 'walk', 405) < city.minutes(block, 'walk', 202)
        ? 'drugstore'
        : 'coffee';
    },
    costs: 2,
  },
  {
    who: 'home seeker',
    asks: 'How far is the library by bike?',
    calls: [['explain_block', { origin: ORIGIN, types: ['library'], modes: ['bike'] }]],
    reads: ({ minutes }) => minutes.bike.Libraries,
    truth: async (city) => city.minutes(await homeBlock(city), 'bike', 601),
    costs: 1,
  },
  {
    who: 'home seeker',
    asks: 'How long is the walk to a park of any size?',
    calls: [['explain_block', { origin: ORIGIN, types: ['park'] }]],
    reads: ({ minutes }) => Math.min(...(Object.values(minutes.walk) as number[])),
    truth: async (city) => {
      const block = await homeBlock(city);
      return Math.min(...PARKS.map((type) => city.minutes(block, 'walk', type)));
    },
    costs: 3,
  },
  {
    who: 'home seeker',
    asks: 'How many minutes does transit save on the way to a museum?',
    calls: [['explain_block', { origin: ORIGIN, types: ['museum'], modes: ['walk', 'transit'] }]],
    reads: ({ minutes: { walk, transit } }) =>
      walk['Museums and galleries'] - transit['Museums and galleries'],
    truth: async (city) => {
      const block = await homeBlock(city);
      return city.minutes(block, 'walk', 602) - city.minutes(block, 'transit', 602);
    },
    costs: 2,
  },
  {
    who: 'home seeker',
    asks: 'Which blocks of Halcyon have a supermarket within 7 minutes on foot and a gym within 5 by bike?',
    calls: [
      [
        'find_blocks',
        {
          area: 'Halcyon',
          all_of: [
            { type: 'supermarket', max_minutes: 7 },
            { type: 'gym', mode: 'bike', max_minutes: 5 },
          ],
          limit: 50,
        },
      ],
    ],
    reads: ({ population }) => Object.keys(population),
    truth: blocksNearBoth,
    costs: async (city) => (await blocksNearBoth(city)).length,
  },
  {
    who: 'home seeker',
    asks: 'Where in Port Meridian is work 14 minutes away by transit and a playground 3 on foot?',
    calls: [
      [
        'find_blocks',
        {
          area: 'Port Meridian, XA',
          all_of: [{ type: 'playground', max_minutes: 3 }],
          near: [{ point: `${WORK.lat}, ${WORK.lon}`, mode: 'transit', max_minutes: 14 }],
          limit: 100,
        },
      ],
    ],
    reads: ({ population }) => Object.keys(population),
    truth: blocksNearWork,
    costs: async (city) => (await blocksNearWork(city)).length,
  },
  {
    who: 'home seeker',
    asks: 'How many grocery stores are within a 20-minute walk?',
    calls: [['reach_from', { origin: ORIGIN, of: ['grocery stores'], minutes: [20] }]],
    reads: ({ within }) => within['Grocery stores'][20],
    truth: async (city) => city.poisNear(await homeBlock(city), 'walk', 101, 20),
    costs: 1,
  },
  {
    who: 'home seeker',
    asks: 'In which of two cities do more people have any park within 10 minutes on foot?',
    calls: [
      ['compare_places', { places: ['Port Meridian', 'Halcyon'], types: ['parks'], minutes: 10 }],
    ],
    reads: ({ within, total }) => {
      const shares = Object.entries(within['Any of: Parks']).map(
        ([place, n]) => [place, share(n as number, total[place])] as const,
      );
      return shares.sort((a, b) => b[1] - a[1])[0];
    },
    truth: async (city) => {
      const shares: [string, number][] = [];
      for (const [name, geoid] of [
        ['Port Meridian, XA (9957600)', PORT],
        ['Halcyon, XA (9931200)', HALCYON],
      ]) {
        const blocks = await city.place(geoid);
        const near = city.sum(blocks, isNear(city, 'walk', PARKS, 10));
        shares.push([name, share(near, city.sum(blocks))]);
      }
      return shares.sort((a, b) => b[1] - a[1])[0];
    },
    costs: 2 * (3 + 10),
  },
  {
    who: 'home seeker',
    asks: 'How many people of each city have groceries, an elementary school and a park within 15 minutes?',
    calls: [
      [
        'compare_places',
        {
          places: ['Halcyon', 'Port Meridian'],
          types: ['groceries', 'elementary school', 'parks'],
        },
      ],
    ],
    reads: ({ within }) =>
      Object.values(within['All of: Grocery stores, Elementary schools, Parks']),
    truth: async (city) => {
      const hasAll = (geoid: string) =>
        [[101], [311], PARKS].every((types) => isNear(city, 'walk', types, 15)(geoid));
      return Promise.all(
        [HALCYON, PORT].map(async (place) => city.sum(await city.place(place), hasAll)),
      );
    },
    costs: 2 * (5 + 10),
  },
  {
    who: 'home seeker',
    asks: 'List 30 blocks of county 99003 that have a bakery within 6 minutes on foot.',
    calls: [
      ['find_blocks', { ...BAKERIES, limit: 20 }],
      ({ next_cursor }) => ['find_blocks', { ...BAKERIES, limit: 10, cursor: next_cursor }],
    ],
    reads: (...pages) => pages.flatMap(({ population }) => Object.keys(population)),
    truth: (city) =>
      city
        .county('99003')
        .filter(isNear(city, 'walk', [104], 6))
        .slice(0, 30),
    costs: 30,
  },
  {
    who: 'planner',
    asks: 'How many people of Halcyon have a supermarket within 10 minutes on foot?',
    calls: [['measure_coverage', { area: 'Halcyon, XA', types: ['supermarkets'] }]],
    reads: ({ within }) => within.Supermarkets[10],
    truth: async (city) => city.sum(await city.place(HALCYON), isNear(city, 'walk', [102], 10)),
    costs: 10,
  },
  {
    who: 'planner',
    asks: 'How many people of Port Meridian live more than a 15-minute walk from a library?',
    calls: [['measure_coverage', { area: PORT, types: ['libraries'] }]],
    reads: ({ total, within }) => total - within.Libraries[15],
    truth: async (city) =>
      city.sum(await city.place(PORT), (geoid) => city.minutes(geoid, 'walk', 601) > 15),
    costs: 10,
  },
  {
    who: 'planner',
    asks: 'What share of county 99001 is within 20 minutes of a clinic by transit?',
    calls: [['measure_coverage', { area: '99001', types: ['clinic'], mode: 'transit' }]],
    reads: ({ total, within }) => share(within.Clinics[20], total),
    truth: (city) => {
      const blocks = city.county('99001');
      return share(city.sum(blocks, isNear(city, 'transit', [402], 20)), city.sum(blocks));
    },
    costs: 10,
  },
  {
    who: 'planner',
    asks: 'How many people of county 99003 live in a 15-minute city of groceries, a pharmacy and a park?',
    calls: [
      [
        'measure_coverage',
        {
          area: '99003',
          all_of: ['groceries', 'pharmacy', 'park'].map((type) => ({ type, max_minutes: 15 })),
        },
      ],
    ],
    reads: ({ all_of }) => all_of,
    truth: (city) =>
      city.sum(city.county('99003'), (geoid) =>
        [[101], [405], PARKS].every((types) => isNear(city, 'walk', types, 15)(geoid)),
      ),
    costs: 11,
  },
  {
    who: 'planner',
    asks: 'Of libraries, gyms and museums, which alone keeps most people from having all three by bike?',
    calls: [
      [
        'measure_coverage',
        {
          area: 'City of Halcyon, XA',
          all_of: ['library', 'gym', 'museum'].map((type) => {
            return { type, mode: 'bike', max_minutes: 8 };
          }),
        },
      ],
    ],
    reads: ({ missing_only }) => missing_only,
    truth: async (city) => {
      const blocks = await city.place(HALCYON);
      const types = [601, 802, 602];
      return types.map((missing) =>
        city.sum(blocks, (geoid) =>
          types.every((type) => isNear(city, 'bike', [type], 8)(geoid) !== (type === missing)),
        ),
      );
    },
    costs: 11,
  },
  {
    who: 'planner',
    asks: 'How many jobs of Port Meridian are within 5 minutes of frequent transit?',
    calls: [
      ['measure_coverage', { area: 'Port Meridian', types: ['frequent transit'], weight: 'jobs' }],
    ],
    reads: ({ within }) => within['Frequent transit stops'][5],
    truth: async (city) => {
      const blocks = await city.place(PORT);
      return city.sum(blocks, isNear(city, 'walk', [1005], 5), 'jobs');
    },
    costs: 10,
  },
  {
    who: 'planner',
    asks: 'How many workers on low wages have day care within 10 minutes on foot?',
    calls: [
      ['measure_coverage', { area: '99001', types: ['day care'], weight: 'workers_low_wage' }],
    ],
    reads: ({ within }) => within.Childcare[10],
    truth: (city) =>
      city.sum(city.county('99001'), isNear(city, 'walk', [304], 10), 'workers_low_wage'),
    costs: 10,
  },
  {
    who: 'planner',
    asks: 'Of the people within 800 m of this corner, how many have a playground within 5 minutes?',
    calls: [['measure_coverage', { area: `${ORIGIN},800`, types: ['playgrounds'] }]],
    reads: ({ total, within }) => [within.Playgrounds[5], total],
    truth: async (city) => {
      const blocks = await city.circle(HOME.lat, HOME.lon, 800);
      return [city.sum(blocks, isNear(city, 'walk', [801], 5)), city.sum(blocks)];
    },
    costs: 10,
  },
  {
    who: 'planner',
    asks: 'How many jobs can be reached from this corner in 15 minutes by transit?',
    calls: [['reach_from', { origin: ORIGIN, mode: 'transit', of: ['jobs'], minutes: [15] }]],
    reads: ({ within }) => within.jobs[15],
    truth: async (city) =>
      city.sum(await city.reach(await homeBlock(city), 'transit', 15), undefined, 'jobs'),
    costs: 1,
  },
  {
    who: 'planner',
    asks: 'How many people could come to a clinic on this corner within 5 minutes by bike?',
    calls: [['reach_from', { origin: ORIGIN, mode: 'bike', direction: 'to', minutes: [5] }]],
    reads: ({ within }) => within.people[5],
    truth: async (city) => city.sum(await city.reach(await homeBlock(city), 'bike', 5, 'to')),
    costs: 1,
  },
  {
    who: 'planner',
    asks: 'What would it cost at most to compare both cities by parks and libraries?',
    calls: [
      [
        'compare_places',
        {
          places: ['Port Meridian', 'Halcyon'],
          types: ['parks', 'libraries'],
          estimate_only: true,
        },
      ],
    ],
    reads: ({ tokens }) => tokens,
    truth: () => 2 * (4 + 10),
    costs: 0,
  },
  {
    who: 'planner',
    asks: 'How many people of Halcyon have a public school of any level within 10 minutes?',
    calls: [
      ['measure_coverage', { area: 'Halcyon', all_of: [{ type: 'schools', max_minutes: 10 }] }],
      ({ options }) => [
        'measure_coverage',
        {
          area: 'Halcyon',
          all_of: [
            {
              type: options.find((one: string) => one.includes('Public')).split(' ')[0],
              max_minutes: 10,
            },
          ],
        },
      ],
    ],
    reads: (_asked, { all_of }) => all_of,
    truth: async (city) =>
      city.sum(await city.place(HALCYON), isNear(city, 'walk', [311, 312, 313, 314], 10)),
    costs: 11,
  },
  {
    who: 'researcher',
    asks: 'Which ids have the sizes of parks?',
    calls: [['list_types', { query: 'acres' }]],
    reads: ({ types }) => Object.keys(types),
    truth: () => ['511', '512', '513'],
    costs: 0,
  },
  {
    who: 'researcher',
    asks: 'By which wage groups can jobs be counted?',
    calls: [['list_types', { query: 'transit' }]],
    reads: ({ weights }) => weights.filter((one: string) => one.startsWith('jobs_')),
    truth: () => ['jobs_high_wage', 'jobs_low_wage', 'jobs_mid_wage'],
    costs: 0,
  },
  {
    who: 'researcher',
    asks: 'How long is the walk to a supermarket from the middle of Halcyon?',
    calls: [
      ['find_place', { query: 'halcyon' }],
      ({ places: [{ lat, lon }] }) => [
        'explain_block',
        { origin: `${lat},${lon}`, types: ['supermarkets'] },
      ],
    ],
    reads: (_place, { minutes }) => minutes.walk.Supermarkets,
    truth: async (city) => city.minutes(await city.blockAt(36.000301, -69.990685), 'walk', 102),
    costs: 1,
  },
  {
    who: 'researcher',
    asks: 'How many more people of Halcyon have a gym within 5 minutes by bike than on foot?',
    calls: [
      ['measure_coverage', { area: 'Halcyon', types: ['gyms'], mode: 'bike' }],
      () => ['measure_coverage', { area: 'Halcyon', types: ['gyms'], mode: 'walk' }],
    ],
    reads: (bike, walk) => bike.within.Gyms[5] - walk.within.Gyms[5],
    truth: async (city) => {
      const blocks = await city.place(HALCYON);
      const within = (mode: 'walk' | 'bike') => city.sum(blocks, isNear(city, mode, [802], 5));
      return within('bike') - within('walk');
    },
    costs: 20,
  },
  {
    who: 'researcher',
    asks: 'How many times more jobs are within 20 minutes by transit than on foot?',
    calls: [
      ['reach_from', { origin: ORIGIN, mode: 'transit', of: ['jobs'], minutes: [20] }],
      () => ['reach_from', { origin: ORIGIN, mode: 'walk', of: ['jobs'], minutes: [20] }],
    ],
    reads: (transit, walk) => (transit.within.jobs[20] / walk.within.jobs[20]).toFixed(3),
    truth: async (city) => {
      const block = await homeBlock(city);
      const jobs = async (mode: 'walk' | 'transit') =>
        city.sum(await city.reach(block, mode, 20), undefined, 'jobs');
      return ((await jobs('transit')) / (await jobs('walk'))).toFixed(3);
    },
    costs: 2,
  },
  {
    who: 'researcher',
    asks: 'What share of high-wage jobs, and of all jobs, is within 10 minutes of a train station?',
    calls: [
      ['measure_coverage', { area: '99001', types: ['train station'], weight: 'jobs_high_wage' }],
      () => ['measure_coverage', { area: '99001', types: ['train station'], weight: 'jobs' }],
    ],
    reads: (...results) =>
      results.map(({ total, within }) =>
        share(within['Rail, light rail and subway stations'][10], total),
      ),
    truth: (city) => {
      const blocks = city.county('99001');
      return ['jobs_high_wage', 'jobs'].map((weight) =>
        share(
          city.sum(blocks, isNear(city, 'walk', [1002], 10), weight),
          city.sum(blocks, undefined, weight),
        ),
      );
    },
    costs: 20,
  },
  {
    who: 'researcher',
    asks: 'What did the last question leave on the account?',
    calls: [['explain_block', { origin: ORIGIN, types: ['banks'] }], () => ['check_balance', {}]],
    reads: (_spent, { tokens_remaining }) => tokens_remaining,
    truth: () => 1_000 - 1,
    costs: 1,
  },
];

async function blocksNearBoth(city: PlainRows): Promise<string[]> {
  const blocks = await city.place(HALCYON);
  return blocks.filter(isNear(city, 'walk', [102], 7)).filter(isNear(city, 'bike', [802], 5));
}

async function blocksNearWork(city: PlainRows): Promise<string[]> {
  const work = await city.blockAt(WORK.lat, WORK.lon);
  const commuters = new Set(await city.reach(work, 'transit', 14, 'to'));
  const blocks = await city.place(PORT);
  return blocks.filter((geoid) => commuters.has(geoid)).filter(isNear(city, 'walk', [801], 3));
}

let city: PlainRows;
beforeAll(async () => {
  const types = [101, 102, 104, 202, 304, 311, 312, 313, 314, 402, 405];
  city = await PlainRows.load(proxy, [...types, ...PARKS, 601, 602, 801, 802, 1002, 1005]);
});

test('there are thirty different questions', () => {
  expect(new Set(QUESTIONS.map(({ asks }) => asks)).size).toBe(30);
});

test.each(QUESTIONS)('a $who asks: $asks', async ({ calls, reads, truth, costs }) => {
  expect(calls.length).toBeLessThanOrEqual(MAX_CALLS);
  const { id, key } = await proxy.customer({ tokens: 1_000 });
  const results: Data[] = [];
  let charged = 0;
  for (const [i, next] of calls.entries()) {
    const [tool, args] = typeof next === 'function' ? next(results.at(-1)) : next;
    const result = await callTool(proxy, key, tool, args);
    const isLast = i === calls.length - 1;
    if (isLast) expect(result.isError, result.content[0].text).toBeUndefined();
    expect(JSON.stringify(result).length).toBeLessThan(MAX_RESULT);
    const { tokens } = result.structuredContent;
    if (!('estimate_only' in args)) charged += tokens;
    results.push(result.structuredContent);
  }
  const right = await truth(city);
  // An empty answer would be right by chance.
  expect(String(right)).not.toMatch(/^(0|NaN|Infinity|)$/);
  expect(reads(...results)).toEqual(right);
  const price = typeof costs === 'number' ? costs : await costs(city);
  expect(charged).toBe(price);
  expect(await proxy.balance(id)).toBe(1_000 - price);
});
