import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { folderOfTests } from '../support/temporary-folder.ts';
import { tta } from '../support/tta.ts';

const folder = folderOfTests();

test('a plan lists its units and its feeds’ days, is reproducible, and publishes nothing', async () => {
  const at = (file: string) => path.join(inject('demoCity'), file);
  const out = path.join(folder, 'store');
  const plan = (...more: string[]) =>
    tta(
      'plan',
      '--osm',
      at('osm/demo.osm.pbf'),
      '--gtfs',
      at('gtfs/demo_transit.zip'),
      '--blocks',
      ...['99001', '99003'].map((c) => at(`blocks/tl_${c}_tabblock20.zip`)),
      '--out',
      out,
      ...more,
    );
  const { code, stdout } = await plan();
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d|[0-9a-f]{16}/g, '…')).toBe(
    [
      'plans/99001-….json: 600 blocks in 2 counties; walk, bike, transit',
      'feed demo_transit.zip: service day …',
      'unit 1: 600 blocks; 99001, 99003\n',
    ].join('\n'),
  );
  const cut = await plan('--unit-blocks', '400');
  expect(cut.stdout).toContain(stdout.split('\n')[0]);
  expect(cut.stdout.match(/^unit \d: \d+ blocks; .*/gm)).toEqual([
    expect.stringMatching(/^unit 1: 3\d\d blocks; 99001$/),
    expect.stringMatching(/^unit 2: 2\d\d blocks; 99003$/),
  ]);
  expect((await readdir(out)).sort()).toEqual(['plans', 'prepared', 'receipts']);
});
