import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ensureDebianPackage } from '../support/debian.ts';
import { leastOf, standardWorks } from '../support/standard-work.ts';
import { output, writtenCity } from './written-city.ts';

const BLOCKS = 200_000;
const MAX_WORKS = 4_000;
const TRIES = 2;
const KIB_PER_GIB = 1 << 20;

test('a city of 200,000 blocks is written completely, in less than a minute and a gigabyte', async () => {
  await ensureDebianPackage('osmium-tool', 'osmium');
  await ensureDebianPackage('gdal-bin', 'ogrinfo');
  const cities: Awaited<ReturnType<typeof writtenCity>>[] = [];
  onTestFinished(async () => {
    for (const { out } of cities) await rm(out, { recursive: true, force: true });
  });
  const write = async () => cities.push(await writtenCity(BLOCKS, 5));
  const works = await leastOf(TRIES, () => standardWorks(write), MAX_WORKS);
  expect(works).toBeLessThan(MAX_WORKS);
  const [{ files }] = cities;
  expect(process.resourceUsage().maxRSS).toBeLessThan(KIB_PER_GIB);
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
