import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ShardError, StoreError } from './errors.ts';
import { countyOf, type Geoid } from './geoid.ts';
import { BlockIndex } from './index/block-index.ts';
import {
  type CountyManifest,
  LATEST,
  type Latest,
  latestSchema,
  type Manifest,
  manifestSchema,
} from './manifest.ts';
import { Matrix } from './matrix/matrix.ts';
import type { ModeRow } from './matrix/row-codec.ts';
import { decodeNearestRow, nearestBytes, nearestRange } from './nearest/nearest.ts';
import { PoiTable } from './pois/poi-table.ts';
import type { ObjectRef, Store } from './store/store.ts';
import { Taxonomy } from './taxonomy.ts';
import type { CountyFips } from './units.ts';

/** The head of a county's POI matrix: who is reachable at all, and what is said of them. */
export interface PoiMatrix {
  readonly matrix: Matrix;
  readonly table: PoiTable;
}

/** What a reader keeps in memory, shared by the releases it passes through. */
export class ReleaseCache {
  readonly #heads: LRUCache<string, { value: object; bytes: number }>;
  readonly #inFlight = new Map<string, Promise<object>>();

  constructor(maxBytes: number) {
    this.#heads = new LRUCache({ maxSize: maxBytes, sizeCalculation: (head) => head.bytes });
  }

  /** The decoded head of an object; readers that ask at the same time share one load. */
  async head<T extends object>(
    ref: ObjectRef,
    load: () => Promise<{ value: T; bytes: number }>,
  ): Promise<T> {
    const cached = this.#heads.get(ref.name);
    if (cached) return cached.value as T;
    const underWay = this.#inFlight.get(ref.name);
    if (underWay) return underWay as Promise<T>;
    const loading = load()
      .then((head) => {
        this.#heads.set(ref.name, { value: head.value, bytes: Math.max(1, head.bytes) });
        return head.value;
      })
      .finally(() => this.#inFlight.delete(ref.name));
    this.#inFlight.set(ref.name, loading);
    return loading;
  }
}

/** One published release: its manifest, and its objects as typed readers. Immutable. */
export class Release {
  readonly manifest: Manifest;
  readonly latest: Latest;
  readonly taxonomy: Taxonomy;
  readonly store: Store;
  /** Cells of a `nearest` row: modes × leaf types. */
  readonly columns: number;
  readonly #cache: ReleaseCache;

  constructor(store: Store, latest: Latest, manifest: Manifest, cache: ReleaseCache) {
    this.store = store;
    this.latest = latest;
    this.manifest = manifest;
    this.taxonomy = new Taxonomy(manifest.taxonomy.types);
    this.columns = manifest.modes.length * this.taxonomy.leafIds.length;
    this.#cache = cache;
  }

  /** The county a block lies in, if the release covers it. */
  countyOfBlock(geoid: Geoid): CountyManifest | undefined {
    return this.county(countyOf(geoid));
  }

  county(fips: CountyFips): CountyManifest | undefined {
    return Object.hasOwn(this.manifest.counties, fips) ? this.manifest.counties[fips] : undefined;
  }

  /** The blocks of a county. One read of the whole object, then kept. */
  index(county: CountyManifest): Promise<BlockIndex> {
    const ref = county.objects.index;
    return this.#cache.head(ref, async () => {
      const value = BlockIndex.decode(ref.name, await this.store.readRange(ref, 0, ref.bytes));
      if (value.count !== county.blocks) {
        throw new ShardError(ref.name, 'blocks', `${value.count} of ${county.blocks} blocks`);
      }
      return { value, bytes: value.byteLength };
    });
  }

  /**
   * Tenths of a minute to the nearest of each leaf type, 0 for beyond 30 minutes: mode by mode in
   * the manifest's order, leaves as in `taxonomy.leafIds`. One range read.
   */
  async nearest(county: CountyManifest, ordinal: number): Promise<Uint16Array> {
    const ref = county.objects.nearest;
    if (ref.bytes !== nearestBytes(county.blocks, this.columns)) {
      throw new ShardError(ref.name, 'length', 'does not match the manifest');
    }
    const { offset, length } = nearestRange(ordinal, this.columns);
    const bytes = await this.store.readRange(ref, offset, length);
    return decodeNearestRow(ref.name, ordinal, bytes, this.columns);
  }

  /** The POI matrix's head. Two reads, then kept. */
  pois(county: CountyManifest): Promise<PoiMatrix> {
    const ref = county.objects.pois;
    return this.#cache.head(ref, async () => {
      const matrix = await Matrix.open(this.store, ref);
      const table = new PoiTable(ref.name, matrix.attributes);
      if (table.count !== matrix.targets.length || matrix.modes !== this.manifest.modes.length) {
        throw new ShardError(ref.name, 'ATTR', 'does not match the dictionary of targets');
      }
      return { value: { matrix, table }, bytes: matrix.byteLength + table.byteLength };
    });
  }

  /** A block's POI row: per mode, ordinals in the POI table and tenths. At most one range read. */
  poiRow(pois: PoiMatrix, ordinal: number): Promise<ModeRow[]> {
    return pois.matrix.row(this.store, ordinal);
  }
}

/** Reads `latest.json` and the manifest it names, whose hash it checks. */
export async function openRelease(store: Store, cache: ReleaseCache): Promise<Release> {
  return openManifest(store, await readLatest(store), cache);
}

export async function readLatest(store: Store): Promise<Latest> {
  const { bytes } = await store.readWhole(LATEST);
  return parseJson(LATEST, bytes, latestSchema);
}

export async function openManifest(
  store: Store,
  latest: Latest,
  cache: ReleaseCache,
): Promise<Release> {
  const { bytes } = await store.readWhole(latest.manifest);
  if (createHash('sha256').update(bytes).digest('hex') !== latest.sha256) {
    throw new ShardError(latest.manifest, 'hash', `is not what ${LATEST} names`);
  }
  return new Release(store, latest, parseJson(latest.manifest, bytes, manifestSchema), cache);
}

function parseJson<T>(name: string, bytes: Uint8Array, schema: { parse(value: unknown): T }): T {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new ShardError(name, 'content', problem.replaceAll(/\s+/g, ' ').slice(0, 300));
  }
}

/** Follows `latest.json`: requests take `current` once and keep it to their end. */
export class ReleaseSource {
  readonly #store: Store;
  readonly #cache: ReleaseCache;
  #current: Release | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(store: Store, cache: ReleaseCache) {
    this.#store = store;
    this.#cache = cache;
  }

  /** The release in force. A `StoreError` until the first `refresh` has succeeded. */
  get current(): Release {
    if (this.#current) return this.#current;
    throw new StoreError('unavailable', this.#store.location, 'no release has been opened yet');
  }

  /** Resolves when the store answers and there is a release in force. */
  async ping(): Promise<void> {
    void this.current;
    await readLatest(this.#store);
  }

  /** Opens what `latest.json` names now, if it is another. Returns whether it was. */
  async refresh(): Promise<boolean> {
    const latest = await readLatest(this.#store);
    if (latest.sha256 === this.#current?.latest.sha256) return false;
    this.#current = await openManifest(this.#store, latest, this.#cache);
    return true;
  }

  /** Polls until `stop`. A failed poll is reported and the release in force stays. */
  start(intervalMs: number, onError: (error: unknown) => void): void {
    this.#timer = setInterval(() => void this.refresh().catch(onError), intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }
}
