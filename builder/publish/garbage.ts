import { NOTES } from '../../shards/release/release-notes.ts';
import type { StoredObject } from '../../shards/store/store.ts';
import { PUBLICATIONS, recordOf } from './first-publication.ts';

interface StoreContents {
  readonly objects: readonly StoredObject[];
  /** Files left behind by killed writers. */
  readonly leftovers: readonly StoredObject[];
}

interface Retention {
  readonly current: string;
  /** Number of other manifests to keep: the newest of those that were current, then of the rest. */
  readonly keep: number;
  /** Anything written after this time stays, since an interrupted build may resume from it. */
  readonly youngerThanMs: number;
}

export interface Garbage {
  /** Manifests, newest first, including the current one. */
  readonly kept: readonly StoredObject[];
  /** The objects to remove, in an order that never leaves a reference to a removed object. */
  readonly remove: readonly StoredObject[];
}

/**
 * Determines the unneeded objects of a store. The newest manifests are those written last: a
 * manifest is the last thing a build writes before it becomes current, and is never rewritten. One
 * that never was current, such as a refused release, must not count for one to roll back to.
 * Objects named by a kept manifest or a young receipt stay, receipts stay while everything they
 * name does, and anything young stays. First publications and notes of releases stay too: they are
 * the history of the store. `namedBy` returns what a manifest or a receipt names.
 */
export async function findGarbage(
  { objects: stored, leftovers }: StoreContents,
  { current, keep, youngerThanMs }: Retention,
  namedBy: (file: StoredObject) => Promise<readonly string[]>,
): Promise<Garbage> {
  const isOld = ({ modifiedMs }: StoredObject) => modifiedMs <= youngerThanMs;
  const { manifests, receipts, objects } = sort(stored);

  const records = new Set(stored.map(({ name }) => name));
  const wasCurrent = ({ name }: StoredObject) => records.has(recordOf(name));
  const others = manifests
    .filter(({ name }) => name !== current)
    .sort((a, b) => Number(wasCurrent(b)) - Number(wasCurrent(a)));
  const goes = new Set(others.filter((file, i) => i >= keep && isOld(file)));
  const kept = manifests.filter((file) => !goes.has(file));
  const needed = new Set<string>();
  for (const manifest of kept) for (const name of await namedBy(manifest)) needed.add(name);
  const namedByReceipt = new Map<StoredObject, readonly string[]>();
  for (const receipt of receipts) {
    const names = await namedBy(receipt);
    namedByReceipt.set(receipt, names);
    if (!isOld(receipt)) for (const name of names) needed.add(name);
  }

  const unneeded = objects.filter((file) => !needed.has(file.name) && isOld(file));
  const unneededNames = new Set(unneeded.map(({ name }) => name));
  const objectNames = new Set(objects.map(({ name }) => name));
  const isWhole = (names: readonly string[]) =>
    names.every((name) => objectNames.has(name) && !unneededNames.has(name));
  return {
    kept,
    remove: [
      ...receipts.filter((file) => isOld(file) && !isWhole(namedByReceipt.get(file)!)),
      ...goes,
      ...unneeded,
      ...leftovers.filter(isOld),
    ],
  };
}

function sort(stored: readonly StoredObject[]) {
  const isIn = (folder: string) => (object: StoredObject) => object.name.startsWith(folder);
  const [isManifest, isReceipt] = [isIn('manifests/'), isIn('receipts/')];
  const isHistory = (one: StoredObject) => isIn(PUBLICATIONS)(one) || isIn(NOTES)(one);
  return {
    manifests: stored.filter(isManifest).sort(newestFirst),
    receipts: stored.filter(isReceipt),
    objects: stored.filter((one) => !isManifest(one) && !isReceipt(one) && !isHistory(one)),
  };
}

function newestFirst(a: StoredObject, b: StoredObject): number {
  return b.modifiedMs - a.modifiedMs || (a.name < b.name ? 1 : -1);
}
