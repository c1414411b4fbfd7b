import type { StoredObject } from '../../shards/store/store.ts';
import { PUBLICATIONS } from './first-publication.ts';

/** All that lies in a store. */
export interface StoreContents {
  readonly objects: readonly StoredObject[];
  /** What writers that were killed left behind. */
  readonly leftovers: readonly StoredObject[];
}

/** What a person says of what to keep. */
export interface Retention {
  /** The manifest in force. */
  readonly current: string;
  /** How many others, the newest. */
  readonly keep: number;
  /** What was written after this time stays: a build that was broken off may go on from it. */
  readonly youngerThanMs: number;
}

export interface Garbage {
  /** Manifests, newest first; the one in force among them. */
  readonly kept: readonly StoredObject[];
  /** In an order in which nothing is gone that something still names. */
  readonly remove: readonly StoredObject[];
}

/**
 * Decides what of a store nobody needs. The newest manifests are those written last: a manifest is
 * the last thing a build writes before it is in force, and never written again. Objects stay that a
 * kept manifest or a young receipt names, receipts as long as all they name stays, and whatever is
 * young. When releases were first published stays too, for the day that one is built again.
 * `namedBy` gives what a manifest or a receipt names.
 */
export async function findGarbage(
  { objects: stored, leftovers }: StoreContents,
  { current, keep, youngerThanMs }: Retention,
  namedBy: (file: StoredObject) => Promise<readonly string[]>,
): Promise<Garbage> {
  const isOld = ({ modifiedMs }: StoredObject) => modifiedMs <= youngerThanMs;
  const { manifests, receipts, objects } = sort(stored);

  const others = manifests.filter(({ name }) => name !== current);
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
  const isPublication = isIn(PUBLICATIONS);
  return {
    manifests: stored.filter(isManifest).sort(newestFirst),
    receipts: stored.filter(isReceipt),
    objects: stored.filter((one) => !isManifest(one) && !isReceipt(one) && !isPublication(one)),
  };
}

function newestFirst(a: StoredObject, b: StoredObject): number {
  return b.modifiedMs - a.modifiedMs || (a.name < b.name ? 1 : -1);
}
