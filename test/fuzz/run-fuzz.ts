import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildRelease } from '../../builder/build.ts';
import type { Progress } from '../../builder/progress.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import { Dice } from '../transit/dice.ts';
import { type FuzzCity, fuzzCity, requestFor } from './city.ts';
import { firstOddNumber } from './exported-numbers.ts';
import { encodeInput } from './input-files.ts';
import { faultOf, type Outcome } from './judge.ts';
import { MemoryStore } from './memory-store.ts';
import { type Mutation, mutate } from './mutations.ts';
import { Watchdog } from './watchdog.ts';

export interface FuzzReport {
  readonly built: number;
  readonly refused: number;
  /** Builds that must not end as they did: the seed of each, the mutation, and what is wrong. */
  readonly faults: readonly string[];
}

export interface FuzzRequest {
  /** The seed of the first build; the others follow it. */
  readonly first: number;
  readonly builds: number;
  /** Receives a line for each build that ends wrongly, as soon as it has. */
  readonly print?: (line: string) => void;
  /** Whether to print each build, with what it said. */
  readonly isLoud?: boolean;
}

/**
 * Builds the city in `folder` once for each seed, with changes of its inputs that depend on the
 * seed alone.
 */
export async function runFuzz(
  folder: string,
  { first, builds, print = () => {}, isLoud = false }: FuzzRequest,
): Promise<FuzzReport> {
  const city = await fuzzCity(folder);
  const lanes = Array.from({ length: LANES }, (_, lane) => at(folder, `lane-${lane}`));
  for (const lane of lanes) {
    await mkdir(lane);
    for (const input of city.inputs) await writeFile(at(lane, input.name), encodeInput(input));
  }
  const intact = new MemoryStore();
  const original = await build(city, lanes[0], intact);
  if (!original.manifest) throw original.error;
  const faults: string[] = [];
  let refused = 0;
  const seeds = Array.from({ length: builds }, (_, i) => first + i).values();
  const run = async (lane: string) => {
    for (const seed of seeds) {
      const mutation = mutate(city.inputs, new Dice(seed));
      const named = `seed ${seed}: ${mutation.what}`;
      watchdog.note(named);
      const outcome = await buildMutated(mutation, city, lane, intact);
      if (!outcome.manifest) refused++;
      const inputs = city.inputs.flatMap((input) => {
        const changed = mutation.changed.get(input.name);
        return changed === null ? [] : [changed ?? input];
      });
      const fault =
        faultOf(mutation, outcome, original, inputs) ?? (await oddNumberIn(outcome, seed));
      if (isLoud) print([named, ...outcome.said, outcome.error ?? ''].join('\n  '));
      if (fault === null) continue;
      faults.push(`${named}: ${fault}`);
      print(faults[faults.length - 1]);
    }
  };
  const watchdog = new Watchdog();
  try {
    await Promise.all(lanes.map(run));
  } finally {
    await watchdog.end();
  }
  return { built: builds - refused, refused, faults };
}

/** An export takes as long as a build: one release in ten is exported. */
const EXPORTED_EVERY = 10;

async function oddNumberIn({ manifest, store }: BuiltCity, seed: number): Promise<string | null> {
  if (!manifest || seed % EXPORTED_EVERY > 0) return null;
  const odd = await firstOddNumber(store);
  return odd && `${odd} has a number that is not finite`;
}

/** Builds at once, since a build waits as long as it computes. */
const LANES = 4;

interface BuiltCity extends Outcome {
  readonly store: MemoryStore;
}

const at = (folder: string, name: string) => path.join(folder, name);

async function buildMutated(
  { changed }: Mutation,
  city: FuzzCity,
  folder: string,
  intact: MemoryStore,
): Promise<BuiltCity> {
  for (const [name, input] of changed) {
    if (input) await writeFile(at(folder, name), encodeInput(input));
    else await rm(at(folder, name));
  }
  try {
    return await build(city, folder, intact.copy());
  } finally {
    for (const input of city.inputs) {
      if (changed.has(input.name)) await writeFile(at(folder, input.name), encodeInput(input));
    }
  }
}

async function build(city: FuzzCity, folder: string, store: MemoryStore): Promise<BuiltCity> {
  const said: string[] = [];
  const progress: Progress = {
    start: () => ({ at: () => {}, finish: (line) => void (line && said.push(line)) }),
    note: (line) => void said.push(line),
  };
  const known = new Set(store.objects.keys());
  const begun = performance.now();
  let [manifest, error]: [Manifest | null, unknown] = [null, null];
  try {
    ({ manifest } = await buildRelease(requestFor(city, folder), store, progress));
  } catch (thrown) {
    error = thrown;
  }
  const seconds = (performance.now() - begun) / 1000;
  const documents = [...store.objects]
    .filter(([name]) => name.startsWith('prepared/') && name.endsWith('.json') && !known.has(name))
    .map(([, bytes]) => JSON.parse(Buffer.from(bytes).toString()));
  return { error, manifest, said, documents, seconds, store };
}
