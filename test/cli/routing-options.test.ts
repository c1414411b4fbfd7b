import { expect, test } from 'vitest';
import { assumptions, ownChoice, ROUTING, routingOf } from '../../builder/routing-parameters.ts';
import {
  type FeedFlags,
  parseModes,
  parseRouting,
  readFeeds,
} from '../../infra/cli/input-options.ts';

const FLAGS: FeedFlags = { feedsWithoutLicence: 'keep' };

test('modes are those besides walk, bike and transit, in the order of their ids', () => {
  expect(parseModes(undefined)).toEqual([]);
  expect(parseModes('walk,bike,transit')).toEqual([]);
  expect(parseModes('step_free,walk_slow,walk')).toEqual(['walk_slow', 'step_free']);
});

test('step-free transit comes with step-free walks, and passes unknown stops in the street', () => {
  const modes = 'transit_step_free';
  expect(parseModes(modes)).toEqual(['step_free', 'transit_step_free']);
  expect(readFeeds({ ...FLAGS, modes })).toMatchObject({ wheelchairUnknown: 'street' });
  expect(readFeeds({ ...FLAGS, modes, wheelchairUnknown: 'closed' })).toMatchObject({
    wheelchairUnknown: 'closed',
  });
  expect(() => readFeeds({ ...FLAGS, modes: 'step_free', wheelchairUnknown: 'closed' })).toThrow(
    '--wheelchair-unknown: applies only to step-free transit; add transit_step_free to --modes',
  );
});

test.each([
  ['drive', '--modes: "drive" is none of walk, bike, transit, walk_slow, step_free'],
  ['step_free,step_free', '--modes: step_free is listed twice'],
])('modes %s are refused: %s', (list, fault) => {
  expect(() => parseModes(list)).toThrow(fault);
});

test('parameters have the names of the assumptions; usual values change nothing', () => {
  const flags = { ...FLAGS, walkSpeed: '4', bikeStress: '2', boardSlack: '0', maxWalkLeg: '20' };
  const chosen = parseRouting(flags);
  expect(chosen).toEqual({
    walk_speed_kmh: 4,
    bike_max_traffic_stress: 2,
    transit_board_slack_s: 0,
    transit_max_walk_leg_min: 20,
  });
  expect(routingOf(chosen)).toMatchObject({
    walkMetresPerSecond: 4 / 3.6,
    bikeMaxTrafficStress: 2,
    transit: { boardSlack: 0, maxWalkLeg: 1_200_000, maxTransferWalk: 1_000 },
  });
  const usual = { ...FLAGS, walkSpeed: '4.8', bikeSpeed: '15', bikeStress: '3', boardSlack: '60' };
  const same = parseRouting({ ...usual, maxWalkLeg: '30', maxTransferWalk: '1000' });
  expect(Object.keys(same)).toHaveLength(6);
  expect(ownChoice(same)).toEqual({});
  expect(JSON.stringify(routingOf(same))).toBe(JSON.stringify(ROUTING));
});

test('assumptions state the speeds of rides on hills in proportion to the chosen one', () => {
  const { hills_bike_kmh: stated } = assumptions(
    null,
    ['from'],
    true,
    [],
    [],
    routingOf({ bike_speed_kmh: 20 }),
  );
  expect(stated).toContain('-1 %: 22.8, 0 %: 20, ');
  expect(stated).toContain('; 24 on steeper descents');
});

test.each<[Partial<FeedFlags>, string]>([
  [{ walkSpeed: '1' }, '--walk-speed: "1" is not a number (km/h) from 2 to 10'],
  [{ bikeSpeed: 'fast' }, '--bike-speed: "fast" is not a number (km/h) from 5 to 40'],
  [{ bikeStress: '2.5' }, '--bike-stress: "2.5" is not a whole number (level)'],
  [{ boardSlack: '-1' }, '--board-slack: "-1" is not a number (s) from 0 to 600'],
  [{ maxWalkLeg: '' }, '--max-walk-leg: "" is not a number (min) from 1 to 60'],
  [{ maxTransferWalk: '9000' }, '--max-transfer-walk: "9000" is not a number (m) from 0 to 3000'],
  [
    { modes: 'walk_slow', walkSpeed: '3' },
    '--walk-speed: "3" is not faster than walk_slow, 3.2 km/h',
  ],
])('%j is refused: %s', (flags, fault) => {
  expect(() => readFeeds({ ...FLAGS, ...flags })).toThrow(fault);
});
