import { z } from 'zod';
import { parseJsonSteps, parseWith } from '../codec/json-object.ts';
import { Turns } from '../concurrency/turns.ts';
import { damaged } from '../errors.ts';
import { hashSteps } from '../store/recorded-hash.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { LATEST } from '../store/store.ts';
import {
  consistentManifestSchema,
  countyFipsSchema,
  countySchema,
  type Manifest,
  manifestWithoutCountiesSchema,
} from './manifest.ts';

export const MANIFESTS = 'manifests/';

/** `manifests/<release>-<first digits of its SHA-256>.json` */
const NAME = /^manifests\/(.+)-([0-9a-f]{16})\.json$/;

/** `countySchema`, compiled: parsing takes half the time, and allocates less. */
const compiledCountySchema = z.compile(countySchema);

/** Label of the release in the name of its manifest; null for any other name. */
export function releaseOfName(name: string): string | null {
  return NAME.exec(name)?.[1] ?? null;
}

/** The start of a manifest's hash, as its name has it; empty for any other name. */
export function hashIn(name: string): string {
  return NAME.exec(name)?.[2] ?? '';
}

/** The name of a manifest without folder and extension, as lists of releases show it. */
export function stemOf(name: string): string {
  return name.slice(MANIFESTS.length, -'.json'.length);
}

/**
 * Finds the manifests that a name may mean: a manifest's name, with or without folder and
 * extension; a label and at least eight digits of the hash; or a label.
 */
export function manifestsNamed(names: readonly string[], wanted: string): string[] {
  const stem = wanted.replace(MANIFESTS, '').replace(/\.json$/, '');
  const exact = names.filter((name) => stemOf(name) === stem);
  if (exact.length > 0) return exact;
  const labelled = names.filter((name) => releaseOfName(name) === wanted);
  if (labelled.length > 0 || !/-[0-9a-f]{8,}$/.test(stem)) return labelled;
  return names.filter((name) => stemOf(name).startsWith(stem));
}

/** A name that stands for no release of a store, or for several. */
export class UnknownRelease extends Error {
  /** The message begins with what the name stands for, such as `this store has no release "x"`. */
  override readonly name = 'UnknownRelease';
}

/** Finds the manifest that a name means; throws an `UnknownRelease` that lists those there are. */
export function manifestNamed(names: readonly string[], wanted: string): string {
  const found = manifestsNamed(names, wanted);
  if (found.length === 1) return found[0];
  const all = (list: readonly string[]) => list.map(stemOf).join(', ') || 'none';
  throw new UnknownRelease(
    found.length === 0
      ? `this store has no release "${wanted}"; it has ${all(names)}`
      : `several releases have the label "${wanted}": ${all(found)}`,
  );
}

/**
 * Reads a manifest, whether or not it is current; throws a `ShardError` if it is damaged.
 * `recorded`: its SHA-256 from `latest.json`; without it, the hash prefix in its name is checked.
 */
export async function readManifest(
  store: Store,
  name: string,
  recorded?: string,
): Promise<{ ref: ObjectRef; manifest: Manifest }> {
  const { bytes } = await store.readWhole(name);
  const sha256 = await Turns.SHARED.run(hashSteps(bytes));
  const expected = recorded ?? NAME.exec(name)?.[2];
  if (expected === undefined || !sha256.startsWith(expected)) {
    const witness = recorded === undefined ? 'its name' : LATEST;
    throw damaged(name, 'hash', `is ${sha256}, which is not what ${witness} says`);
  }
  const manifest = await Turns.SHARED.run(manifestSteps(name, bytes));
  return { ref: { name, bytes: bytes.length, sha256 }, manifest };
}

/** Parses and checks a manifest county by county, since a nation's has megabytes. */
function* manifestSteps(
  name: string,
  bytes: Uint8Array,
): Generator<undefined, Manifest, undefined> {
  const value = yield* parseJsonSteps(name, bytes);
  const manifest = parseWith(name, value, manifestWithoutCountiesSchema);
  for (const [fips, county] of Object.entries(manifest.counties)) {
    parseWith(name, fips, countyFipsSchema, ['counties', fips]);
    manifest.counties[fips] = parseWith(name, county, compiledCountySchema, ['counties', fips]);
    yield;
  }
  return parseWith(name, manifest, consistentManifestSchema);
}
