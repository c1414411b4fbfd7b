import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { benchBuild } from './build.ts';
import { benchInputs } from './inputs.ts';
import { benchRouting } from './routing.ts';
import { benchServing } from './serving.ts';

/** `npm run bench`: every claim about speed and size, a line of JSON each, measured in one run. */
const folder = await mkdtemp(path.join(tmpdir(), 'tta-bench-'));
try {
  const inputs = await benchInputs(folder);
  await benchRouting(inputs);
  const store = await benchBuild(inputs, folder);
  await benchServing(store, folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
