import { expect, test } from 'vitest';
import type { Matrix } from '../../shards/matrix/matrix.ts';
import type { ModeRow } from '../../shards/matrix/row-codec.ts';
import { Findings } from '../../shards/verify/finding.ts';
import { originRowCheck } from '../../shards/verify/row-rules.ts';

const SERVICES = ['walk', 'bike', 'transit', 'transit.pm', 'walk_slow', 'step_free'];

const rowOf = (times: Readonly<Record<number, number>>): ModeRow => ({
  targets: Uint32Array.from(Object.keys(times), Number),
  times: Uint16Array.from(Object.values(times)),
});

/** The problems of a row, given the times by service of what it reaches. */
function problems(
  own: Partial<Record<string, Readonly<Record<number, number>>>>,
  services = SERVICES,
): string[] {
  const matrix = { origins: [240050001001000], targets: [7, 8, 9] } as unknown as Matrix;
  const findings = new Findings('pois/24005');
  const check = originRowCheck(matrix, services, null, findings, (target) => `${target}`);
  const usual = { 0: 50, 2: 90 };
  check(
    0,
    services.map((service) => rowOf(own[service] ?? usual)),
  );
  return [...findings.faults()].map(({ problem }) => problem);
}

test('transit is never later than a walk, and no other walk is sooner', () => {
  expect(problems({})).toEqual([]);
  expect(problems({ walk_slow: { 0: 75 }, step_free: { 2: 90 }, bike: { 1: 10 } })).toEqual([]);
  for (const [service, times, problem] of [
    ['transit.pm', { 0: 51, 2: 90 }, 'later by transit than on foot'],
    ['transit', { 2: 90 }, 'later by transit than on foot'],
    ['walk_slow', { 0: 49 }, 'later on foot than on foot at 3.2 km/h'],
    ['step_free', { 0: 50, 1: 60 }, 'later on foot than on foot without steps'],
  ] as const) {
    expect(problems({ [service]: times })).toEqual([expect.stringContaining(problem)]);
  }
});

test('transit without steps is between such walks and transit of the same window', () => {
  const services = ['walk', 'transit', 'transit.pm', 'step_free'];
  services.push('transit_step_free', 'transit_step_free.pm');
  const [fast, slow] = [
    { 0: 10, 2: 20 },
    { 0: 20, 2: 40 },
  ];
  const all = { transit: slow, 'transit.pm': fast, transit_step_free: slow };
  expect(problems({ ...all, 'transit_step_free.pm': fast }, services)).toEqual([]);
  expect(problems({ ...all, transit_step_free: fast }, services)).toEqual([
    expect.stringContaining('later by transit than by transit without steps'),
  ]);
  expect(problems({ ...all, 'transit_step_free.pm': { 0: 51, 2: 90 } }, services)).toEqual([
    expect.stringContaining('later by transit without steps than on foot without steps'),
  ]);
});
