import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { buildFlags } from './build.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import { baltimore } from './inputs.ts';
import { watched } from './watched-command.ts';

/** Names of the receipts of a join's stages. */
const JOINED = /^(join|reach|catchment|block|tiles)-/;

/** The most that an export may take, as a multiple of the join of its release. */
const WANTED_RATIO = 1.2;

/** Measures the time to export Baltimore, relative to that of its join, and the memory it takes. */
export async function benchExports({ store, place, folder }: Built): Promise<void> {
  const build = () => timed('build', ...buildFlags(baltimore()), '--out', store);
  const kept = await build();
  const receipts = path.join(store, 'receipts');
  for (const name of await readdir(receipts)) {
    if (JOINED.test(name)) await rm(path.join(receipts, name));
  }
  const joined = await build();
  const join = joined.seconds - kept.seconds;
  const out = path.join(folder, 'exported');
  const { seconds, megabytes } = await timed('export', '--store', store, '--out', out);
  const about = { place, join_seconds: Number(join.toPrecision(3)), wanted_ratio: WANTED_RATIO };
  figure('export.seconds', seconds, 's', about);
  figure('export.of_join', seconds / join, '×', about);
  figure('export.peak_memory', megabytes, 'MB', { place });
}

async function timed(...args: readonly string[]) {
  const begun = performance.now();
  const { peakMegabytes } = await watched(...args);
  return { seconds: (performance.now() - begun) / 1000, megabytes: peakMegabytes };
}
