import { PUBLICATIONS } from './first-publication.ts';

/** A file of a store. */
export interface StoredFile {
  /** As the store names it, such as `pois/24510-6f1c….tta`. */
  readonly name: string;
  readonly bytes: number;
  /** When it was written, milliseconds since 1970. */
  readonly modifiedMs: number;
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
  readonly kept: readonly StoredFile[];
  /** In an order in which nothing is gone that something still names. */
  readonly remove: readonly StoredFile[];
}

/**
 * Decides what of a store nobody needs. The newest manifests are those written last: a manifest is
 * the last thing a build writes before it is in force, and never written again. Objects stay that a
 * kept manifest or a young receipt names, receipts as long as all they name stays, and whatever is
 * young. When releases were first published stays too, for the day that one is built again.
 * `namedBy` gives what a manifest or a receipt names.
 */
export async function findGarbage(
  files: readonly StoredFile[],
  { current, keep, youngerThanMs }: Retention,
  namedBy: (file: StoredFile) => Promise<readonly string[]>,
): Promise<Garbage> {
  const isOld = ({ modifiedMs }: StoredFile) => modifiedMs <= youngerThanMs;
  const { leftovers, manifests, receipts, objects } = sort(files);

  const others = manifests.filter(({ name }) => name !== current);
  const goes = new Set(others.filter((file, i) => i >= keep && isOld(file)));
  const kept = manifests.filter((file) => !goes.has(file));
  const needed = new Set<string>();
  for (const manifest of kept) for (const name of await namedBy(manifest)) needed.add(name);
  const namedByReceipt = new Map<StoredFile, readonly string[]>();
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

function sort(files: readonly StoredFile[]) {
  const leftovers = files.filter(({ name }) => isLeftover(name));
  const whole = files.filter(({ name }) => !isLeftover(name));
  const isIn = (folder: string) => (file: StoredFile) => file.name.startsWith(folder);
  const [isManifest, isReceipt] = [isIn('manifests/'), isIn('receipts/')];
  const isPublication = isIn(PUBLICATIONS);
  return {
    leftovers,
    manifests: whole.filter(isManifest).sort(newestFirst),
    receipts: whole.filter(isReceipt),
    objects: whole.filter((file) => !isManifest(file) && !isReceipt(file) && !isPublication(file)),
  };
}

function newestFirst(a: StoredFile, b: StoredFile): number {
  return b.modifiedMs - a.modifiedMs || (a.name < b.name ? 1 : -1);
}

/** What a writer that was killed left behind. */
function isLeftover(name: string): boolean {
  return name.endsWith('.tmp');
}
