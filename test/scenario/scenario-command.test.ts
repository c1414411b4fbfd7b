import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { defineScenario } from '../../infra/cli/commands/scenario.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { madeFeed, writeTexts } from './made-feed.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Runs the command on a feed whose names act on terminals; returns what it prints. */
async function printed(change: string): Promise<string> {
  const folder = await folderOfThisTest();
  const scenario = path.join(folder, 'change.yaml');
  await writeFile(scenario, `scenario: "Clear \\e[2J"\nchanges:\n  - ${change}\n`);
  const feed = madeFeed([{ route: 'L', departures: ['06:00:00'] }]);
  const gtfs = await writeTexts(path.join(folder, 'in'), {
    ...feed,
    'stops.txt': feed['stops.txt'].replace('A Street', 'A\u001b[2J Street\u202e'),
    'routes.txt': feed['routes.txt'].replace('Line L', 'Line\u009b31m L').replace(',l,', ',,'),
  });
  let text = '';
  for (const output of [process.stdout, process.stderr]) {
    vi.spyOn(output, 'write').mockImplementation((chunk) => {
      text += chunk;
      return true;
    });
  }
  const command = new Command();
  defineScenario(command);
  await command.parseAsync([scenario, '--gtfs', gtfs, '--dry-run'], { from: 'user' });
  vi.restoreAllMocks();
  return text;
}

test('names of a feed and of a scenario do not act on the terminal, in results and in problems', async () => {
  const did = await printed('{change: move-stop, stop: A, lat: 36, lon: -70}');
  expect(did).toContain('Clear \uFFFD[2J: 1 change');
  expect(did).toContain('A\uFFFD[2J Street\uFFFD (A): moved by');
  const problem = await printed('{change: remove-route, route: "Z\\e[2J"}');
  expect(problem).toContain('"Z\uFFFD[2J" is no route of the feed, which has Line\uFFFD31m L (L)');
  expect(problem).toContain('nothing is written');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
  expect(did + problem).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});
