import { expect, test } from 'vitest';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { runFuzz } from './run-fuzz.ts';

/** A slice of what `npm run fuzz` builds. */
const BUILDS = 80;

test('inputs with random faults end in a release that counts what is lost, or in a refusal that names the file', async () => {
  const first = Math.floor(Math.random() * 2 ** 31);
  const report = await runFuzz(await folderOfThisTest(), { first, builds: BUILDS });
  expect(report.faults, `npm run fuzz -- --builds ${BUILDS} --seed ${first}`).toEqual([]);
  // A fuzzer that meets only refusals would show nothing, nor one that changes nothing.
  expect(report.built).toBeGreaterThan(BUILDS / 4);
  expect(report.refused).toBeGreaterThan(BUILDS / 40);
});
