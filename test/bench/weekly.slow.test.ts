import { expect, test } from 'vitest';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { refreshWeekly, type Week } from './weekly.ts';

test('weeks need no action by hand: bad ones are refused, and what moves no minute changes no object', async () => {
  const weeks: Week[] = [];
  const request = {
    areas: [
      { kind: 'urban', blocks: 500, counties: 2 },
      { kind: 'rural', blocks: 500, counties: 2 },
    ],
    weeks: 4,
    bad: { 2: 'feed lost', 3: 'POIs halved' },
    quiet: [1],
    seed: 7,
  } as const;
  for await (const week of refreshWeekly(request, await folderOfThisTest())) weeks.push(week);
  expect(weeks.map(({ code }) => code)).toEqual([0, 0, 4, 4, 0]);
  const [, quiet, lost, halved, last] = weeks;
  const { searched, changed, uploaded, etags } = quiet;
  expect({ searched, changed, objects: uploaded.objects, etags }).toEqual({
    searched: 0,
    changed: 0,
    objects: 0,
    etags: { summary: 1, pois: 1, reach: 1 },
  });
  expect(quiet.uploaded.others).toBeGreaterThan(0);
  for (const [week, reason] of [
    [lost, /^lost 1 of 2 feeds: mdb-100\.zip \(no trip runs on any weekday/],
    [halved, /^restaurants: \d+ POIs, \d+ before$/],
  ] as const) {
    expect(week.reasons).toContainEqual(expect.stringMatching(reason));
  }
  // A week after bad ones is compared with the release in force.
  expect([last.reasons, last.changed > 0]).toEqual([[], true]);
});
