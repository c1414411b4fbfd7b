import {
  BlockIndex,
  UNLINKED_REASONS,
  type UnlinkedReason,
} from '../../shards/blocks/block-index.ts';
import { ComparedCounty, type ComparedValues } from '../../shards/changes/compared-county.ts';
import { leavesOfBoth, modesOfBoth, timeMeasures } from '../../shards/changes/measures.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import { ALL_LINK_MODES, type LinkMode } from '../../shards/modes.ts';
import { PoiTable } from '../../shards/pois/poi-table.ts';
import { statedFeeds } from '../../shards/release/feed-state.ts';
import type { CountyManifest, Latest, Manifest } from '../../shards/release/manifest.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import { releaseOf } from '../../shards/release/named-releases.ts';
import { changesInWords } from '../../shards/release/notes-in-words.ts';
import { ReleaseCache } from '../../shards/release/release-cache.ts';
import {
  encodeNotes,
  notesName,
  type ReleaseChanges,
  type ReleaseNotes,
  readNotes,
} from '../../shards/release/release-notes.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';
import type { DestTypeId, Tenths } from '../../shards/units.ts';
import { latestIfAny, wasPublished } from './promote-release.ts';

/** Releases of a history; older ones fall off. */
const HISTORY = 20;
/** Room for what is compared of one county. */
const CACHE_BYTES = 1 << 26;
/** A change of a time from which it counts as large. */
const MOVED_MUCH: Tenths = 50;

export interface NamedRelease {
  readonly name: string;
  readonly manifest: Manifest;
}

/** The release that is current when another is described; its manifest is null if it is damaged. */
interface Predecessor {
  readonly name: string;
  readonly release: string;
  readonly manifest: Manifest | null;
  /** That release, then those before it. */
  readonly history: ReleaseNotes['history'];
}

/**
 * Writes the notes of a release that is to become current, which compare it with the current one,
 * and returns them. Those of a release that was current before stay as they are.
 */
export async function noteRelease(store: WritableStore, release: NamedRelease) {
  const latest = await latestIfAny(store);
  const isCurrent = latest?.manifest === release.name;
  const current = latest === null || isCurrent ? null : latest;
  const known = await nullIfDamaged(readNotes(store, release.name));
  const wasCurrent = await nullIfDamaged(wasPublished(store, release.name));
  const isAbout = (known?.before?.manifest ?? null) === (current?.manifest ?? null);
  if (known && (wasCurrent || isAbout)) return known;
  const before = current && {
    name: current.manifest,
    release: current.release,
    manifest: (await nullIfDamaged(readManifest(store, current.manifest)))?.manifest ?? null,
    history: await historyFrom(store, current),
  };
  const notes = await describeRelease(store, before, release);
  await store.putContent(notesName(release.name), encodeNotes(notes));
  return notes;
}

/** Describes a release, and how it differs from the one before it in the same store, if any. */
async function describeRelease(
  store: Store,
  before: Predecessor | null,
  { name, manifest }: NamedRelease,
): Promise<ReleaseNotes> {
  const earlier = before?.manifest ?? null;
  const facts = await factsOf(store, manifest);
  const was = earlier && (await nullIfDamaged(factsOf(store, earlier)));
  const changes =
    earlier &&
    (await nullIfDamaged(
      changesBetween(store, { name: before!.name, manifest: earlier }, { name, manifest }),
    ));
  const typesBefore = labelsOf(earlier);
  const labels = new Map([...typesBefore, ...labelsOf(manifest)]);
  const types = new Set([...facts.pois.keys(), ...(was?.pois.keys() ?? [])]);
  return {
    release: manifest.release,
    manifest: name,
    before: before && { release: before.release, manifest: before.name },
    blocks_without_streets: ALL_LINK_MODES.flatMap((mode) =>
      UNLINKED_REASONS.map((reason) => ({
        mode,
        reason,
        blocks: facts.unlinked.get(`${mode} ${reason}`) ?? 0,
        blocks_before: was && (was.unlinked.get(`${mode} ${reason}`) ?? 0),
      })),
    ).filter(({ blocks, blocks_before }) => blocks + (blocks_before ?? 0) > 0),
    pois: [...types]
      .sort((a, b) => a - b)
      .map((type) => ({
        dest_type_id: type,
        label: labels.get(type)!,
        pois: facts.pois.get(type) ?? 0,
        pois_before: was && typesBefore.has(type) ? (was.pois.get(type) ?? 0) : null,
      })),
    changes,
    history: before?.history ?? [],
  };
}

async function historyFrom(
  store: Store,
  { release, manifest, published_at }: Latest,
): Promise<ReleaseNotes['history']> {
  const notes = await nullIfDamaged(readNotes(store, manifest));
  const summary = notes?.changes ? [...changesInWords(notes.changes)] : [];
  const last = { release, manifest, published_at, summary };
  return [last, ...(notes?.history ?? [])].slice(0, HISTORY);
}

function labelsOf(manifest: Manifest | null): Map<DestTypeId, string> {
  const types = manifest?.taxonomy.types ?? [];
  return new Map(types.map(({ dest_type_id, label }) => [dest_type_id, label]));
}

/** A release is also built to replace a damaged one, with which it cannot be compared. */
async function nullIfDamaged<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const isGone = error instanceof StoreError && ['missing', 'changed'].includes(error.failure);
    if (isGone || error instanceof ShardError) return null;
    throw error;
  }
}

interface Facts {
  readonly unlinked: ReadonlyMap<`${LinkMode} ${UnlinkedReason}`, number>;
  readonly pois: ReadonlyMap<DestTypeId, number>;
}

async function factsOf(store: Store, { counties }: Manifest): Promise<Facts> {
  const unlinked = new Map<`${LinkMode} ${UnlinkedReason}`, number>();
  const pois = new Map<DestTypeId, number>();
  for (const county of Object.values(counties)) {
    const index = await indexOf(store, county);
    for (const mode of index.linkModes) {
      for (const block of index.unlinked(mode)) {
        const key = `${mode} ${index.link(block, mode).status as UnlinkedReason}` as const;
        unlinked.set(key, (unlinked.get(key) ?? 0) + 1);
      }
    }
    const { catchment } = county.objects;
    const table = PoiTable.fromBytes(
      catchment.name,
      (await Matrix.open(store, catchment)).attributes,
    );
    for (let poi = 0; poi < table.count; poi++) {
      for (const type of table.types(poi)) pois.set(type, (pois.get(type) ?? 0) + 1);
    }
  }
  return { unlinked, pois };
}

function indexOf(store: Store, { objects }: CountyManifest): Promise<BlockIndex> {
  return BlockIndex.read(store, objects.index);
}

async function changesBetween(
  store: Store,
  earlier: NamedRelease,
  later: NamedRelease,
): Promise<ReleaseChanges> {
  const [before, after] = [earlier.manifest, later.manifest];
  const cache = new ReleaseCache(CACHE_BYTES);
  const pair = {
    before: releaseOf(store, earlier, cache),
    after: releaseOf(store, later, cache),
  };
  const measures = timeMeasures(leavesOfBoth(pair), modesOfBoth(pair));
  const both = Object.keys(after.counties).filter((county) => county in before.counties);
  const cutOff: ReleaseChanges['cut_off'] = [];
  const times = { compared: 0, moved: 0, moved_much: 0 };
  const objects = { all: 0, kept: 0, new_bytes: 0 };
  let changed = 0;
  for (const county of both) {
    const [was, is] = [before.counties[county], after.counties[county]];
    const kept = keptObjects(was, is);
    objects.kept += kept;
    if (kept < Object.keys(is.objects).length) changed++;
    const compared = await ComparedCounty.open(pair, county);
    const blocks = blocksCutOff(compared);
    if (blocks > 0) cutOff.push({ county, blocks, linked_before: was.routable_blocks });
    const ordinals = { before: compared.before!.ordinals, after: compared.after!.ordinals };
    for await (const values of compared.values(measures)) compareTimes(ordinals, values, times);
  }
  const known = new Set(
    Object.values(before.counties).flatMap((one) =>
      Object.values(one.objects).map(({ name }) => name),
    ),
  );
  for (const { objects: own } of Object.values(after.counties)) {
    for (const { name, bytes } of Object.values(own)) {
      objects.all++;
      if (!known.has(name)) objects.new_bytes += bytes;
    }
  }
  return {
    counties: {
      both: both.length,
      changed,
      added: Object.keys(after.counties).filter((county) => !(county in before.counties)),
      gone: Object.keys(before.counties).filter((county) => !(county in after.counties)),
    },
    feeds: feedChanges(before, after),
    cut_off: cutOff,
    times,
    objects,
  };
}

/** The number of blocks of both releases that had a street nearby, and have none. */
function blocksCutOff({ before, after, count }: ComparedCounty): number {
  let blocks = 0;
  for (let i = 0; i < count; i++) {
    const [was, is] = [before!.ordinals[i], after!.ordinals[i]];
    if (was === -1 || is === -1) continue;
    if (before!.index.isRoutable(was) && !after!.index.isRoutable(is)) blocks++;
  }
  return blocks;
}

function keptObjects(was: CountyManifest, is: CountyManifest): number {
  const names = new Set(Object.values(was.objects).map(({ name }) => name));
  return Object.values(is.objects).filter(({ name }) => names.has(name)).length;
}

/**
 * The feeds of which only one of the releases has service. A feed is known by its file or, if that
 * has another name, by its publisher.
 */
function feedChanges(before: Manifest, after: Manifest): ReleaseChanges['feeds'] {
  const [was, is] = [before, after].map((release) =>
    statedFeeds(release).filter(({ status }) => status === 'used'),
  );
  const isIn = (feeds: typeof was, { file, publisher }: (typeof was)[number]) =>
    feeds.some((one) => one.file === file || (publisher !== null && one.publisher === publisher));
  const reasons = new Map(statedFeeds(after).map(({ file, reason }) => [file, reason]));
  return {
    used_before: was.length,
    added: is.filter((feed) => !isIn(was, feed)).map(({ file }) => file),
    lost: was
      .filter((feed) => !isIn(is, feed))
      .map(({ file }) => ({ file, reason: reasons.get(file) ?? null })),
  };
}

/**
 * Adds the differences of a measure to `sums`, of blocks of both releases. A block that the mode
 * was not routed from has no time, like one beyond 30 minutes.
 */
function compareTimes(
  { before, after }: { readonly before: Int32Array; readonly after: Int32Array },
  values: ComparedValues,
  sums: { compared: number; moved: number; moved_much: number },
): void {
  for (let i = 0; i < before.length; i++) {
    if (before[i] === -1 || after[i] === -1) continue;
    const was = Math.max(0, values.before[i]);
    const is = Math.max(0, values.after[i]);
    if (was === 0 && is === 0) continue;
    sums.compared++;
    if (was === is) continue;
    sums.moved++;
    if (was === 0 || is === 0 || Math.abs(was - is) >= MOVED_MUCH) sums.moved_much++;
  }
}
