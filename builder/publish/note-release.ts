import {
  BlockIndex,
  LINK_MODES,
  UNLINKED_REASONS,
  type UnlinkedReason,
} from '../../shards/blocks/block-index.ts';
import { ShardError, StoreError } from '../../shards/errors.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { StreetMode } from '../../shards/modes.ts';
import { decodeNearestRow, nearestRange } from '../../shards/nearest/nearest.ts';
import { PoiTable } from '../../shards/pois/poi-table.ts';
import { statedFeeds } from '../../shards/release/feed-state.ts';
import type { CountyManifest, Latest, Manifest } from '../../shards/release/manifest.ts';
import { readManifest } from '../../shards/release/manifests.ts';
import { changesInWords } from '../../shards/release/notes-in-words.ts';
import {
  encodeNotes,
  notesName,
  type ReleaseChanges,
  type ReleaseNotes,
  readNotes,
} from '../../shards/release/release-notes.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store, WritableStore } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { DestTypeId, Tenths } from '../../shards/units.ts';
import { publishedAt } from './first-publication.ts';
import { latestIfAny } from './promote-release.ts';

/** Releases of a history; older ones fall off. */
const HISTORY = 20;
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
  const wasCurrent = (await nullIfDamaged(publishedAt(store, release.name))) !== null;
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
  const changes = earlier && (await nullIfDamaged(changesBetween(store, earlier, manifest)));
  const typesBefore = labelsOf(earlier);
  const labels = new Map([...typesBefore, ...labelsOf(manifest)]);
  const types = new Set([...facts.pois.keys(), ...(was?.pois.keys() ?? [])]);
  return {
    release: manifest.release,
    manifest: name,
    before: before && { release: before.release, manifest: before.name },
    blocks_without_streets: LINK_MODES.flatMap((mode) =>
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

/** The history of a release that follows the current one. */
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
  /** Blocks by mode and reason. */
  readonly unlinked: ReadonlyMap<`${StreetMode} ${UnlinkedReason}`, number>;
  readonly pois: ReadonlyMap<DestTypeId, number>;
}

async function factsOf(store: Store, { counties }: Manifest): Promise<Facts> {
  const unlinked = new Map<`${StreetMode} ${UnlinkedReason}`, number>();
  const pois = new Map<DestTypeId, number>();
  for (const county of Object.values(counties)) {
    const index = await indexOf(store, county);
    for (const mode of LINK_MODES) {
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

async function indexOf(store: Store, { objects: { index } }: CountyManifest): Promise<BlockIndex> {
  return BlockIndex.decode(index.name, await readVerified(store, index));
}

async function changesBetween(
  store: Store,
  before: Manifest,
  after: Manifest,
): Promise<ReleaseChanges> {
  const both = Object.keys(after.counties).filter((county) => county in before.counties);
  const cutOff: ReleaseChanges['cut_off'] = [];
  const times = { compared: 0, moved: 0, moved_much: 0 };
  const objects = { all: 0, kept: 0, new_bytes: 0 };
  let changed = 0;
  const columns = columnsOfBoth(before, after);
  for (const county of both) {
    const [was, is] = [before.counties[county], after.counties[county]];
    const kept = keptObjects(was, is);
    objects.kept += kept;
    if (kept < Object.keys(is.objects).length) changed++;
    const index = await indexOf(store, was);
    const hasSameIndex = is.objects.index.name === was.objects.index.name;
    const indexes = [index, hasSameIndex ? index : await indexOf(store, is)] as const;
    const ordinals = pairs(indexes[0].geoids, indexes[1].geoids);
    const lost = ordinals.filter(([a, b]) => indexes[0].isRoutable(a) && !indexes[1].isRoutable(b));
    if (lost.length > 0) {
      cutOff.push({ county, blocks: lost.length, linked_before: was.routable_blocks });
    }
    const nearest = await nearestOf(store, before, was);
    const hasSameTimes = is.objects.nearest.name === was.objects.nearest.name;
    const cells = [nearest, hasSameTimes ? nearest : await nearestOf(store, after, is)] as const;
    for (const [a, b] of ordinals) compareTimes(cells[0](a), cells[1](b), columns, times);
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

/** The number of objects that a county has as before. */
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

/** Pairs of positions of the ids that both ascending lists have. */
function pairs(a: Float64Array, b: Float64Array): [number, number][] {
  const found: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) found.push([i, j]);
    const [one, other] = [a[i], b[j]];
    if (one <= other) i++;
    if (other <= one) j++;
  }
  return found;
}

/** Pairs of columns of `nearest` for the same mode and type. */
function columnsOfBoth(before: Manifest, after: Manifest): [number, number][] {
  const keysOf = ({ modes, taxonomy }: Manifest) =>
    modes.flatMap((mode) => new Taxonomy(taxonomy.types).leafIds.map((leaf) => `${mode} ${leaf}`));
  const later = new Map(keysOf(after).map((key, column) => [key, column]));
  return keysOf(before).flatMap((key, column): [number, number][] =>
    later.has(key) ? [[column, later.get(key)!]] : [],
  );
}

/** Reads a county's times to the nearest, and returns a function that finds those of a block. */
async function nearestOf(store: Store, release: Manifest, { objects }: CountyManifest) {
  const ref = objects.nearest;
  const bytes = await readVerified(store, ref);
  const columns = release.modes.length * new Taxonomy(release.taxonomy.types).leafIds.length;
  return (block: number) => {
    const { offset, length } = nearestRange(block, columns);
    return decodeNearestRow(ref.name, block, bytes.subarray(offset, offset + length), columns);
  };
}

/** Adds the differences of a block's times to `sums`; 0 stands for no time. */
function compareTimes(
  was: Uint16Array,
  is: Uint16Array,
  columns: readonly (readonly [number, number])[],
  sums: { compared: number; moved: number; moved_much: number },
): void {
  for (const [a, b] of columns) {
    const [one, other] = [was[a], is[b]];
    if (one === 0 && other === 0) continue;
    sums.compared++;
    if (one === other) continue;
    sums.moved++;
    if (one === 0 || other === 0 || Math.abs(one - other) >= MOVED_MUCH) sums.moved_much++;
  }
}
