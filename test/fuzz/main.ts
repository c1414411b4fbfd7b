import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runFuzz } from './run-fuzz.ts';

/**
 * `npm run fuzz -- [--builds N] [--seed S]`: builds of mutated inputs, with the seeds from S on.
 * Prints each build that ended wrongly; a single seed also prints what its build said.
 */
const { values } = parseArgs({
  options: {
    builds: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});
const [builds, first] = [Number(values.builds), Number(values.seed)];
const print = (line: string) => process.stdout.write(`${line}\n`);
const folder = await mkdtemp(path.join(tmpdir(), 'tta-fuzz-'));
try {
  const begun = performance.now();
  const report = await runFuzz(folder, { first, builds, print, isLoud: builds === 1 });
  const seconds = (performance.now() - begun) / 1000;
  print(
    `seeds from ${first}: ${report.built} built, ${report.refused} refused, ${report.faults.length} wrong, in ${seconds.toFixed(0)} s`,
  );
  process.exitCode = report.faults.length === 0 ? 0 : 1;
} finally {
  // Another lane may still write when one fails.
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
