import { expect, test } from 'vitest';
import { folderOfThisTest } from '../support/temporary-folder.ts';
import { runFuzz } from './run-fuzz.ts';

/** The same builds in every run; `npm run fuzz` draws others. */
const [FIRST, BUILDS] = [1, 40];

test('inputs with random faults end in a release that counts what is lost, or in a refusal that names the file', async () => {
  const report = await runFuzz(await folderOfThisTest(), { first: FIRST, builds: BUILDS });
  expect(report.faults, `npm run fuzz -- --builds ${BUILDS} --seed ${FIRST}`).toEqual([]);
  // A fuzzer that meets only refusals would show nothing, nor one that changes nothing.
  expect(report.built).toBeGreaterThan(BUILDS / 4);
  expect(report.refused).toBeGreaterThan(BUILDS / 40);
});
