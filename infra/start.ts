import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import closeWithGrace from 'close-with-grace';
import { buildRelease } from '../builder/build.ts';
import { whileBuilding } from '../builder/publish/output.ts';
import { isWellFormedApiKey } from '../portal/accounts/api-key.ts';
import type { Ledger } from '../portal/accounts/ledger.ts';
import { type Geoid, geoidFromNumber } from '../shards/geoid.ts';
import { LATEST } from '../shards/manifest.ts';
import type { Release } from '../shards/release.ts';
import { openWritableStore } from '../shards/store/open-store.ts';
import { packageVersion } from './cli/package-version.ts';
import { run } from './cli/run.ts';
import { terminalProgress } from './cli/terminal-progress.ts';
import { writeDemoCity } from './demo/write-demo-city.ts';
import { serveSettings } from './environment.ts';
import { serve } from './serve.ts';

const DEMO = { blocks: 2_000, seed: 1 };
const DEMO_TOKENS = 1_000_000;
const CLOSE_WITHIN_MS = 10_000;

/**
 * `npm start`: the whole service on this machine. Without a release it builds the fictional demo
 * city first; then it serves, and prints a key and a request to try.
 */
await run(async () => {
  const folder = path.resolve(process.env.VAR_DIR || 'var');
  const store = process.env.STORE || path.join(folder, 'store');
  const ledger = process.env.LEDGER || `lmdb:${path.join(folder, 'ledger')}`;
  // Before a build of minutes, which a wrong setting would only follow.
  const settings = serveSettings({ store, ledger }, packageVersion());
  if (!process.env.STORE && !existsSync(path.join(store, LATEST))) await buildDemo(folder, store);

  const serving = await serve(settings);
  closeWithGrace({ delay: CLOSE_WITHIN_MS }, () => serving.close());
  const key = await demoKey(serving.ledger, path.join(folder, 'demo-key'));
  const release = serving.releases.current;
  const geoid = await busiestBlock(release);
  process.stdout.write(
    [
      `Travel-Time Access Service: release ${release.manifest.release}, ${Object.keys(release.manifest.counties).join(', ')}`,
      `  API       ${serving.address}   (reference: ${serving.address}/docs)`,
      `  API key   ${key}`,
      'Try it:',
      `  curl -H 'Authorization: Bearer ${key}' '${serving.address}/v1/blocks/${geoid}/summary?mode=walk'`,
      '',
    ].join('\n'),
  );
});

async function buildDemo(folder: string, store: string): Promise<void> {
  const progress = terminalProgress(process.stderr);
  progress.note('No release yet: building the fictional demo city.');
  const opened = openWritableStore(store);
  try {
    await whileBuilding(opened, [], async () => {
      const city = await writeDemoCity({ ...DEMO, out: path.join(folder, 'demo') }, progress);
      const request = {
        osm: [city.osm],
        blocks: city.blocks,
        gtfs: [city.gtfs],
        places: [city.places],
        counties: [],
        release: 'demo',
        workers: availableParallelism(),
      };
      await buildRelease(request, opened, progress);
    });
  } finally {
    await opened.close();
  }
}

/** The key of the last start, or a new one. It opens a demo on this machine and nothing else. */
async function demoKey(ledger: Ledger, file: string): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (isWellFormedApiKey(kept)) return kept;
  const atMs = Date.now();
  const grant = { tokens: DEMO_TOKENS, cause: 'demo', atMs };
  const made = await ledger.issueKey({ owner: { email: null }, label: 'demo', grant, atMs });
  if (!made.created) throw new Error('a new account has no room for a key');
  await writeFile(file, `${made.plainKey}\n`, { mode: 0o600 });
  return made.plainKey;
}

/** The routable block with the most people: something is within reach of it. */
async function busiestBlock(release: Release): Promise<Geoid> {
  let best = { geoid: '', people: -1 };
  for (const county of Object.values(release.manifest.counties)) {
    const index = await release.index(county);
    for (let i = 0; i < index.count; i++) {
      const people = index.population(i) ?? 0;
      if (people > best.people && index.isRoutable(i)) {
        best = { geoid: geoidFromNumber(index.geoids[i]), people };
      }
    }
  }
  return best.geoid;
}
