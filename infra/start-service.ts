import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type BuildRequest, buildRelease } from '../builder/build.ts';
import { publishExports } from '../builder/export/publish-exports.ts';
import { TABLE_NAMES } from '../builder/export/tables.ts';
import type { Progress } from '../builder/progress.ts';
import { whileBuilding } from '../builder/publish/output.ts';
import { PAGE_PATHS } from '../portal/page-paths.ts';
import { hashApiKey, isWellFormedApiKey } from '../proxy/ledger/api-key.ts';
import type { Ledger } from '../proxy/ledger/ledger.ts';
import { whileOpen } from '../shards/concurrency/while-open.ts';
import { type Geoid, geoidFromNumber } from '../shards/geoid.ts';
import { counted } from '../shards/number-words.ts';
import type { Release } from '../shards/release/release.ts';
import { ReleaseCache } from '../shards/release/release-cache.ts';
import { openRelease } from '../shards/release/release-source.ts';
import { countyInWords } from '../shards/states.ts';
import { openWritableStore } from '../shards/store/open-store.ts';
import { LATEST } from '../shards/store/store.ts';
import type { Bytes } from '../shards/units.ts';
import { readInputs } from './cli/input-options.ts';
import { packageVersion } from './cli/package-version.ts';
import { tell } from './cli/print.ts';
import { run } from './cli/run.ts';
import { terminalProgress } from './cli/terminal-progress.ts';
import { writeDemoCity } from './demo/write-demo-city.ts';
import { ArgumentError } from './errors.ts';
import { CLOSE_WITHIN_MS, endsWithinMs } from './listen.ts';
import { serveMailPage } from './mail-page.ts';
import { type PortalServing, servePortal, settlePortal } from './portal.ts';
import { endWithNpm } from './program-start.ts';
import { openService, type Serving } from './serve.ts';
import type { PortalSettings } from './settings/portal-server.ts';
import { type StartSettings, startSettings } from './settings/start.ts';
import { shutDownOnSignals } from './shutdown-signals.ts';

const DEMO = { blocks: 2_000, seed: 1 };
const DEMO_TOKENS = 1_000_000;
const NO_ARGUMENTS = { area: null, isFresh: false, build: null, ports: {} };
/** Counties to be listed; of more, the number is given. */
const LISTED_COUNTIES = 10;
const EXPORT_CACHE_BYTES: Bytes = 1 << 28;
/** All but the tables with millions of rows, which would take longer than the rest of the start. */
const EXPORTED = TABLE_NAMES.filter((table) => table !== 'pois' && table !== 'reach');

/**
 * `npm start`: the whole service on this machine. Without a release it builds one first: of the
 * area that its arguments name, whose public inputs it downloads, or of the fictional demo city.
 * Then it serves the API and the portal, and prints their addresses, a key, and a request to try.
 */
await run(async () => {
  const args = process.argv.slice(2);
  const read = args.length > 0 ? (await import('./own-area.ts')).readStartArguments(args) : null;
  const { area, isFresh, build, ports } = read ?? NO_ARGUMENTS;
  // Settings are read before the build, which takes minutes, since a wrong setting should fail at
  // once.
  const settings = startSettings(packageVersion(), process.env, area?.name, ports);
  const { isOwnStore } = settings;
  const { store } = settings.api;
  let serving: Serving | undefined;
  let portal: PortalServing | undefined;
  // A service that is not open yet has no request to finish. The portal uses the API's ledger.
  const ending = shutDownOnSignals({
    async close() {
      await portal?.close();
      await serving?.close();
    },
    cutOff: async () => serving?.cutOff(),
    withinMs: CLOSE_WITHIN_MS + endsWithinMs(settings.api),
  });
  endWithNpm(ending.hasBegun);
  if ((area !== null || isFresh || build !== null) && !isOwnStore) {
    throw new ArgumentError(
      'STORE: npm start builds into a store of its own; leave out STORE, or use tta fetch and tta build',
    );
  }
  if (isOwnStore && (isFresh || !existsSync(path.join(store, LATEST)))) {
    const progress = terminalProgress(process.stderr);
    const folder = path.dirname(store);
    const fetched = await area?.fetchInto(path.join(folder, 'inputs'), progress);
    const prepare = async () => {
      const inputs = fetched ?? (await writeDemo(path.join(folder, 'demo'), progress));
      return { ...inputs, ...build };
    };
    await buildOwnStore(store, prepare, progress);
  } else if (build !== null) {
    tell('the release of an earlier start is served; --fresh builds it anew, by these options');
  }
  const { at, accountUrl } = await settlePortal(settings.portal);
  serving = await openService({ ...settings.api, proxy: { ...settings.api.proxy, accountUrl } });
  await serving.listen();
  try {
    const own = { ...settings, portal: { ...settings.portal, port: at.port } };
    const opened = await openBeside(serving, own);
    ({ portal } = opened);
    if (!ending.hasBegun()) process.stdout.write(opened.text);
  } catch (error) {
    await serving.close(0);
    throw error;
  }
});

/** Opens the portal alongside the API; returns it with a text on where both can be reached. */
async function openBeside(
  serving: Serving,
  settings: StartSettings,
): Promise<{ portal: PortalServing; text: string }> {
  const release = serving.releases.current;
  const { counties } = release;
  const listed = counties.map(({ fips, manifest }) => countyInWords(fips, manifest.name));
  const geoid = await busiestBlock(release);
  const key = await demoKey(serving.ledger, settings.folder);
  const { portal, mailPage } = await openPortal(serving, settings.portal, geoid);
  return {
    portal,
    text: [
      `Travel-Time Access Service: release ${release.manifest.release}, ${counties.length > LISTED_COUNTIES ? counted(counties.length, 'county', 'counties') : listed.join(', ')}`,
      `  Map       ${portal.address}${PAGE_PATHS.map}`,
      `  API       ${serving.whereabouts}`,
      `  API docs  ${serving.address}/docs`,
      `  Portal    ${portal.whereabouts}`,
      ...(mailPage === null ? [] : [`  Mail      ${portal.address}${mailPage}   (sign-in codes)`]),
      `  API key   ${key}`,
      'Try it:',
      `  curl -H 'Authorization: Bearer ${key}' '${serving.address}/v1/blocks/${geoid}/summary?mode=walk'`,
      '',
    ].join('\n'),
  };
}

/**
 * Opens the portal on the API's ledger. Without a mail server, its mails are shown on a page at
 * `mailPage`.
 */
async function openPortal(
  { ledger, address }: Serving,
  settings: PortalSettings,
  exampleBlock: Geoid,
): Promise<{ portal: PortalServing; mailPage: string | null }> {
  const { smtpUrl, folder } = settings.mail;
  const apiUrl = settings.portal.apiUrl ?? address;
  const own = { ...settings.portal, apiUrl, exampleBlock };
  let mailPage: string | null = null;
  const portal = await servePortal({ ...settings, portal: own }, ledger, (app) => {
    if (smtpUrl === null) mailPage = serveMailPage(app, folder);
  });
  return { portal, mailPage };
}

async function writeDemo(out: string, progress: Progress): Promise<BuildRequest> {
  progress.note('Building the fictional demo city.');
  await writeDemoCity({ ...DEMO, out }, progress);
  return { ...(await readInputs({ inputs: out, feedsWithoutLicence: 'keep' })), release: 'demo' };
}

/** Builds and exports a release of prepared inputs. */
async function buildOwnStore(
  store: string,
  prepare: () => Promise<BuildRequest>,
  progress: Progress,
): Promise<void> {
  await whileOpen(openWritableStore(store), async (opened) => {
    await whileBuilding(opened, [], async () => {
      const request = await prepare();
      await buildRelease({ ...request, workers: availableParallelism() }, opened, progress);
    });
    const release = await openRelease(opened, new ReleaseCache(EXPORT_CACHE_BYTES));
    const counties = Object.keys(release.manifest.counties);
    const exported = { tables: EXPORTED, counties, format: 'parquet' } as const;
    await publishExports(release, exported, opened, progress);
  });
}

/**
 * Returns the key of the last start if the ledger accepts it, otherwise a new one. The key only
 * grants access to a demo on this machine.
 */
async function demoKey(ledger: Ledger, folder: string): Promise<string> {
  const file = path.join(folder, 'demo-key');
  const atMs = Date.now();
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (isWellFormedApiKey(kept)) {
    const { outcome } = await ledger.admit(hashApiKey(kept), atMs);
    if (outcome === 'admitted' || outcome === 'rate-limited') return kept;
  }
  const grant = { tokens: DEMO_TOKENS, cause: 'demo', atMs };
  const made = await ledger.issueKey({
    owner: { email: null },
    label: 'demo',
    grant,
    by: 'operator',
    atMs,
  });
  if (!made.created) throw new Error('a new account cannot have a key');
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${made.plainKey}\n`, { mode: 0o600 });
  return made.plainKey;
}

/** Returns the GEOID of the most populous routable block, which has POIs within reach. */
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
