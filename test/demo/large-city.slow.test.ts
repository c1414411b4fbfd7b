import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureDebianPackage } from '../support/debian.ts';
import { output, writtenCity } from './written-city.ts';

/** Enough for several primitive blocks of nodes and ways; `npm run bench -- demo` has 200,000. */
const BLOCKS = 20_000;

test('a city of 20,000 blocks is written completely', async () => {
  await ensureDebianPackage('osmium-tool', 'osmium');
  await ensureDebianPackage('gdal-bin', 'ogrinfo');
  const { out, files } = await writtenCity(BLOCKS, 5);
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const info = JSON.parse(await output('osmium', 'fileinfo', '-e', '-j', files.osm));
  expect(info.data.objects_ordered).toBe(true);
  expect(info.data.count.nodes).toBeGreaterThan(BLOCKS);
  await output('osmium', 'check-refs', '-r', files.osm);
  let blocks = 0;
  for (const file of files.blocks) {
    const sql = `SELECT count(*), sum(ST_IsValid(geometry)) FROM ${path.basename(file, '.zip')}`;
    const args = ['-ro', '-q', '-dialect', 'sqlite', '-sql', sql, `/vsizip/${file}`];
    const text = await output('ogrinfo', ...args);
    const [count, valid] = [...text.matchAll(/= (\d+)$/gm)].map((match) => Number(match[1]));
    expect(valid).toBe(count);
    blocks += count;
  }
  expect(blocks).toBe(BLOCKS);
});
