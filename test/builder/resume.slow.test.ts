import { execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { Random } from '../../infra/demo/seeded-random.ts';
import { ownProcessorSeconds } from '../bench/processor-time.ts';
import { writeCountyRow, writeTownFeed } from '../support/county-row.ts';
import { storeContents } from '../support/store-contents.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { TTA } from '../support/tta.ts';

/** Builds to be killed in all, and at most in one store. */
const KILLS = 3;
const KILLS_PER_STORE = 3;

const folder = folderOfTests();
/** Flags of the build except `--out`. */
let flags: string[];
/** The contents of the store of an undisturbed build, and the processor time that it takes. */
let whole: Record<string, string>;
let wholeSeconds: number;

beforeAll(async () => {
  const { osm, blocks, pois } = await writeCountyRow(folder);
  const gtfs = [0, 2].map((county) => writeTownFeed(path.join(folder, `${county}.zip`), county));
  const inputs = { osm, blocks, pois, gtfs: await Promise.all(gtfs) };
  flags = Object.entries(inputs).flatMap(([kind, files]) => [`--${kind}`, ...files]);
  flags = ['build', ...flags, '--release', 'r'];
  const { signal, seconds } = await runUntil(path.join(folder, 'whole'), Number.POSITIVE_INFINITY);
  expect(signal).toBeNull();
  wholeSeconds = seconds;
  whole = await storeContents(path.join(folder, 'whole'));
  expect(await verified(path.join(folder, 'whole'))).toContain('is intact');
});

/**
 * Runs a build until it ends, or until it has used `most` seconds of processor time and is killed
 * with SIGKILL. How far it gets is thus independent of other load.
 */
async function runUntil(store: string, most: number) {
  const child = spawn(process.execPath, [TTA, ...flags, '--out', store], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  let seconds = 0;
  while (child.exitCode === null && child.signalCode === null) {
    seconds = Math.max(seconds, await ownProcessorSeconds(child.pid!));
    if (seconds > most) child.kill('SIGKILL');
    await Promise.race([sleep(10), exited]);
  }
  const [code, signal] = await exited;
  expect(code ?? 0).toBe(0);
  return { signal, seconds };
}

async function verified(store: string): Promise<string> {
  const args = [TTA, 'release', 'verify', '--store', store];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return stdout;
}

test('a build killed at any moment resumes and ends with the bytes of an undisturbed one', async () => {
  const seed = randomInt(2 ** 31);
  const random = new Random(seed);
  for (let kills = 0, stores = 0; kills < KILLS; stores++) {
    const where = `seed ${seed}, store ${stores}`;
    const store = path.join(folder, `killed-${stores}`);
    for (let killed = 0; ; killed++) {
      const part = killed < KILLS_PER_STORE ? random.between(0.02, 0.9) : Number.POSITIVE_INFINITY;
      const { signal } = await runUntil(store, part * wholeSeconds);
      // A release exists only once it is complete.
      if (existsSync(path.join(store, 'latest.json'))) {
        expect(await verified(store), where).toContain('is intact');
      }
      if (signal === null) break;
      kills++;
    }
    expect(await storeContents(store), where).toEqual(whole);
    const hidden = (await readdir(store)).filter((entry) => entry.startsWith('.'));
    expect(hidden, where).toEqual([]);
    await rm(store, { recursive: true });
  }
});

test('work done before the kill is not repeated', async () => {
  const store = path.join(folder, 'resumed');
  const receipts = () => readdir(path.join(store, 'receipts')).catch((): string[] => []);
  // On two threads, of which each may be writing when the build is killed.
  const args = [TTA, ...flags, '--out', store, '--workers', '2'];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const searched = async () =>
    (await receipts()).filter((name) => /^search-.*\.json$/.test(name)).length;
  while ((await searched()) === 0) await sleep(2);
  child.kill('SIGKILL');
  await exited;
  const reused = await searched();
  // On a busy machine the kill may come after the whole region was done: then nothing is searched.
  const isRegionDone = (await receipts()).some((name) => /^region.*\.json$/.test(name));
  const { stderr } = await promisify(execFile)(process.execPath, args);
  const [line] = /^search: .*/m.exec(stderr) ?? [''];
  expect(line !== '').toBe(!isRegionDone);
  if (!isRegionDone) expect(line).toMatch(new RegExp(`; ${reused} count(y|ies) reused`));
  expect(await storeContents(store)).toEqual(whole);
});
