import { expect, test } from 'vitest';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { commandsOfTests } from '../support/tta.ts';
import { refreshWeekly, type Week } from './weekly.ts';

const runIn = commandsOfTests();

test('weeks need no action by hand: a bad one is refused, and what moves no minute changes no object', async () => {
  const weeks: Week[] = [];
  const request = {
    areas: [{ kind: 'urban', blocks: 500, counties: 2 }],
    weeks: 3,
    bad: { 2: 'POIs halved' },
    quiet: [1],
    seed: 7,
  } as const;
  const refreshed = refreshWeekly(request, await folderOfThisTest(), runIn);
  for await (const week of refreshed) weeks.push(week);
  expect(weeks.map(({ code }) => code)).toEqual([0, 0, 4, 0]);
  const [, quiet, halved, last] = weeks;
  const { searched, changed, uploaded, etags } = quiet;
  expect({ searched, changed, objects: uploaded.objects, etags }).toEqual({
    searched: 0,
    changed: 0,
    objects: 0,
    etags: { summary: 1, pois: 1, reach: 1 },
  });
  expect(quiet.uploaded.others).toBeGreaterThan(0);
  expect(halved.reasons).toContainEqual(
    expect.stringMatching(/^restaurants: \d+ POIs, \d+ before$/),
  );
  // A week after a bad one is compared with the release in force.
  expect([last.reasons, last.changed > 0]).toEqual([[], true]);
});
