import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { promote, putManifest } from '../../builder/publish/publish.ts';
import type { CountyManifest, Manifest } from '../../shards/release/manifest.ts';
import { STATES } from '../../shards/states.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { Built } from './built.ts';
import { figure } from './figure.ts';
import type { Held } from './load-watched.ts';
import { residentMemory } from './resident-memory.ts';
import { startService } from './service.ts';

const COUNTIES = 3_143;
/** The number of counties that an hour's ride reaches. */
const REACHED = 12;
const LOOP_DELAY = pathToFileURL(path.resolve('dist/test/bench/loop-delay.js')).href;
const POLL_MS = 5;
const vintage = z.looseObject({ release: z.string() });

/**
 * Measures a proxy on the manifest of a nation: the time until it is ready, its memory, and how
 * long a new release holds its event loop. The counties repeat those of the built release under
 * names of their own, with the census places of each state; other objects are named but missing.
 */
export async function benchNationalManifest({ store, release, folder }: Built): Promise<void> {
  const nation = path.join(folder, 'national-manifest');
  const ledger = path.join(folder, 'national-manifest-ledger');
  await mkdir(ledger, { recursive: true });
  const manifest = nationalManifest(release.manifest);
  await copyObjects(store, nation, release.manifest, manifest);
  const target = new FolderStore(nation);
  await publish(target, manifest);
  const { length } = Buffer.from(JSON.stringify(manifest));
  figure('nation.manifest.bytes', length / 1e6, 'MB', { counties: COUNTIES });

  const delayFile = path.join(ledger, 'loop-delay.json');
  const begunMs = performance.now();
  const service = await startService(nation, ledger, {
    LOOP_DELAY_FILE: delayFile,
    NODE_OPTIONS: `--import=${LOOP_DELAY}`,
    RELEASE_POLL_SECONDS: '1',
  });
  try {
    while (!(await fetch(`${service.address}/v1/ready`)).ok) await pause(POLL_MS);
    figure('nation.manifest.ready', (performance.now() - begunMs) / 1000, 's', { wanted: 1 });
    figure('nation.manifest.memory', await residentMemory(service.pid, 'VmRSS'), 'MB', {
      wanted: 150,
    });
    process.kill(service.pid, 'SIGWINCH');
    const next = { ...manifest, release: `${manifest.release}-next` };
    await publish(target, next);
    while ((await releaseOf(service.address)) !== next.release) await pause(POLL_MS);
    await service.stop();
    const { max }: Held = JSON.parse(await readFile(delayFile, 'utf8'));
    figure('nation.manifest.swap.loop_held', max, 'ms', { wanted: 20 });
  } finally {
    await service.stop();
    await target.close();
  }
}

async function publish(store: FolderStore, manifest: Manifest): Promise<void> {
  await promote(store, manifest.release, await putManifest(store, manifest), new Date());
}

async function releaseOf(address: string): Promise<string> {
  const response = await fetch(`${address}/v1/last-updated`);
  return vintage.parse(await response.json()).release;
}

function nationalManifest(manifest: Manifest): Manifest {
  const built = Object.values(manifest.counties);
  const states = [...STATES.keys()];
  const codes = Array.from({ length: COUNTIES }, (_, i) => {
    const county = 1 + 2 * Math.floor(i / states.length);
    return `${states[i % states.length]}${String(county).padStart(3, '0')}`;
  }).sort();
  const counties = codes.map((fips, i) => {
    const reached = Array.from({ length: REACHED }, (_, j) => codes[(i + j) % COUNTIES]);
    return [fips, copyOf(built[i % built.length], reached)];
  });
  const state = Object.values(manifest.states)[0];
  return {
    ...manifest,
    counties: Object.fromEntries(counties),
    states: Object.fromEntries(
      states.map((fips) => {
        const objects = Object.entries(state.objects).map(([kind, ref]) => [kind, renamed(ref)]);
        return [fips, { ...state, objects: Object.fromEntries(objects) }];
      }),
    ),
  };
}

function copyOf(county: CountyManifest, reached: string[]): CountyManifest {
  const { reach, objects, block_bands: bands } = county;
  const names = Object.entries(objects).map(([kind, ref]) => [kind, renamed(ref)]);
  return {
    ...county,
    reach: { from: reached, to: reach.to.length > 0 ? reached : [] },
    objects: Object.fromEntries(names),
    ...(bands && { block_bands: { archive: renamed(bands.archive), sums: renamed(bands.sums) } }),
  };
}

/** The same object under another name. */
function renamed(ref: ObjectRef): ObjectRef {
  const [kind, file] = ref.name.split('/');
  return { ...ref, name: `${kind}/${randomUUID()}-${file}` };
}

/** Copies the objects that a proxy reads before it is ready. */
async function copyObjects(from: string, to: string, one: Manifest, nation: Manifest) {
  const copy = async (source: ObjectRef, target: ObjectRef) => {
    await mkdir(path.dirname(path.join(to, target.name)), { recursive: true });
    await copyFile(path.join(from, source.name), path.join(to, target.name));
  };
  for (const ref of Object.values(one.objects)) await copy(ref, ref);
  const [state] = Object.values(one.states);
  for (const { objects } of Object.values(nation.states)) {
    await copy(state.objects.places, objects.places);
    await copy(state.objects['place-map'], objects['place-map']);
  }
}
