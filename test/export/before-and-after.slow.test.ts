import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { openProxy } from '../support/proxy-harness.ts';
import { pythonTools } from '../support/python-tool.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { commandsOfTests } from '../support/tta.ts';

const LIBRARIES = 601;
const run = promisify(execFile);
const folder = folderOfTests();
const runIn = commandsOfTests();
const at = (name: string) => path.join(folder, name);
const recipe = path.resolve('infra/docs/recipes/before-and-after.md');

/** Input files of the demo city, of one folder and extension. */
async function inputs(kind: string, extension: string): Promise<string[]> {
  const within = path.join(inject('demoCity'), kind);
  const names = (await readdir(within)).filter((name) => name.endsWith(extension));
  return names.map((name) => path.join(within, name));
}

/** People in all counties, and within 15 minutes on foot of a library, from the API. */
async function peopleIn(store: string): Promise<{ total: number; within: number }> {
  const proxy = await openProxy(store);
  try {
    const counties = proxy.releases.current.counties.map(({ fips }) => fips);
    const body = { area: { counties }, mode: ['walk'], type: [LIBRARIES] };
    const { key } = await proxy.customer({ tokens: 100 });
    const { results } = (await proxy.post('/v1/coverage', key, body)).json();
    return { total: results[0].total, within: results[0].within['15'] };
  } finally {
    await proxy.close();
  }
}

test('the recipe counts the people who gain from another library as the API does', async () => {
  const [library] = /\{"type": "Feature".*?\}\}/s.exec(await readFile(recipe, 'utf8'))!;
  await writeFile(at('library.geojson'), library);
  const stores = { before: at('store-before'), after: at('store-after') };
  for (const [release, store] of Object.entries(stores)) {
    const flags = ['--release', release, '--out', store, '--no-tiles', '--directions', 'from'];
    if (release === 'after') flags.push('--pois', at('library.geojson'));
    flags.push('--osm', ...(await inputs('osm', '.pbf')));
    flags.push('--blocks', ...(await inputs('blocks', '.zip')));
    expect(await runIn({}, 'build', ...flags)).toMatchObject({ code: 0 });
    const tables = ['--tables', 'blocks,nearest_wide', '--out', at('tables')];
    expect(await runIn({}, 'export', '--store', store, ...tables)).toMatchObject({ code: 0 });
  }
  const python = path.join(await pythonTools('duckdb==2.0.0'), 'python');
  const script = path.resolve('test/export/run_queries.py');
  const { stdout } = await run(python, [script, recipe], { cwd: at('tables') });
  const [, saved, [within]] = JSON.parse(stdout) as number[][][];
  const [before, after] = [await peopleIn(stores.before), await peopleIn(stores.after)];
  expect(within).toEqual([before.within, after.within]);
  expect(after.within).toBeGreaterThan(before.within);
  const [least] = saved[0];
  expect([least, saved.length > 1]).toEqual([0, true]);
  expect(saved.reduce((sum, [, people]) => sum + people, 0)).toBe(before.total);
});
