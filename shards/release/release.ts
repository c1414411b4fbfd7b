import { accessColumn, accessCountsOf } from '../access/access-columns.ts';
import type { AddressDirectory } from '../addresses/address-directory.ts';
import { AddressTable } from '../addresses/address-table.ts';
import type { BlockIndex } from '../blocks/block-index.ts';
import { SingleFlight } from '../concurrency/single-flight.ts';
import { Turns } from '../concurrency/turns.ts';
import { ShardError } from '../errors.ts';
import type { Outlines } from '../fgb/outlines.ts';
import { countyOf, type Geoid } from '../geoid.ts';
import { BandedArea } from '../geometry/banded-area.ts';
import { type SharedBorders, sharedBorderSteps } from '../geometry/shared-borders.ts';
import { boxWithin } from '../geometry/wgs84.ts';
import { Matrix } from '../matrix/matrix.ts';
import type { Mode } from '../modes.ts';
import {
  decodeNearestRow,
  nearestBytes,
  nearestRange,
  readNearestRun,
  runsOfRows,
} from '../nearest/nearest.ts';
import { PlaceTable } from '../places/place-table.ts';
import { PmtilesArchive } from '../pmtiles/archive.ts';
import { type CheckedObject, CheckedPages } from '../pmtiles/checked-pages.ts';
import { DestDirectory } from '../pois/dest-directory.ts';
import type { PoiMatrix } from '../pois/poi-table.ts';
import {
  BASE_PERCENTILE,
  BASE_TIMING,
  BASE_WINDOW,
  type DepartureWindow,
  parseService,
  type Service,
  type Timing,
} from '../services.ts';
import { readVerified } from '../store/recorded-hash.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import { Taxonomy } from '../taxonomy.ts';
import type { TransitTable } from '../transit/transit-table.ts';
import type {
  BoundingBox,
  Bytes,
  CountyBlock,
  CountyFips,
  ReleaseMode,
  StatePlace,
} from '../units.ts';
import { PEOPLE, type Weight } from '../weights/weight.ts';
import { CountyBoxes } from './county-boxes.ts';
import {
  type BlockAreas,
  type Catchments,
  loadAddressDirectory,
  loadAreas,
  loadCatchments,
  loadIndex,
  loadNthNearest,
  loadOutlines,
  loadPois,
  loadTransit,
  loadWeights,
} from './loaders.ts';
import type {
  CountyManifest,
  Direction,
  Latest,
  Manifest,
  ReleaseWindow,
  StateManifest,
  TileArchive,
} from './manifest.ts';
import { type CachedValue, type ReleaseCache, sized } from './release-cache.ts';
import type { ReleaseNotes } from './release-notes.ts';

export interface ReleaseCounty {
  readonly fips: CountyFips;
  readonly manifest: CountyManifest;
  readonly blockBox: BoundingBox;
  readonly poiBox: BoundingBox | null;
}

interface WindowOfRelease extends DepartureWindow {
  readonly percentiles: readonly number[];
  /** The feeds of its day, where a release has several windows. */
  readonly feeds?: ReleaseWindow['feeds'];
}

function chosenAt(services: readonly Service[], timing: Timing): ReleaseMode[] {
  return [...services.keys()].filter((position) => {
    const { departure, percentile } = services[position];
    return (
      departure === null || (departure === timing.departure && percentile === timing.percentile)
    );
  });
}

const BASE: WindowOfRelease = { ...BASE_WINDOW, percentiles: [BASE_PERCENTILE] };

const VERSION_DIGITS = 12;

/** The version of a release, by its label and the hash of its manifest, or the start of it. */
export function versionOf(release: string, sha256: string): string {
  return `${release}-${sha256.slice(0, VERSION_DIGITS)}`;
}

/** One published release: its manifest, and its objects as typed readers. Immutable. */
export class Release {
  readonly manifest: Manifest;
  readonly latest: Latest;
  /** Identifies the release's contents: its label and the start of its manifest's hash. */
  readonly version: string;
  readonly taxonomy: Taxonomy;
  readonly store: Store;
  /** The services whose times objects hold, in the order in which they store them. */
  readonly services: readonly Service[];
  /** The windows of departures; empty without transit. */
  readonly windows: readonly WindowOfRelease[];
  /** The window and the percentile whose transit times are read. */
  readonly timing: Timing;
  /** The positions in `services` of those that modes stand for, ascending. */
  readonly chosen: readonly ReleaseMode[];
  /** Cells per `nearest` row: services × leaf types. */
  readonly columns: number;
  /** The weights of every block: people, and those that the release was built with. */
  readonly weights: readonly Weight[];
  /** Ordered by county code. */
  readonly counties: readonly ReleaseCounty[];
  /**
   * Finds counties by the boxes of their blocks; `poiBoxes` finds them by the boxes of their POIs.
   */
  readonly blockBoxes: CountyBoxes<ReleaseCounty>;
  readonly poiBoxes: CountyBoxes<ReleaseCounty>;
  /** Null if the release was made without notes. */
  readonly notes: ReleaseNotes | null;
  /** Those of slow work on this release. */
  readonly turns = Turns.SHARED;
  private readonly cache: ReleaseCache;
  private readonly kept = new SingleFlight<string, object>(new Map());

  constructor(
    store: Store,
    latest: Latest,
    manifest: Manifest,
    cache: ReleaseCache,
    notes: ReleaseNotes | null = null,
  ) {
    this.store = store;
    this.notes = notes;
    this.latest = latest;
    this.manifest = manifest;
    this.version = versionOf(latest.release, latest.sha256);
    this.taxonomy = new Taxonomy(manifest.taxonomy.types);
    this.services = manifest.modes.map((name) => parseService(name)!);
    const hasTransit = this.services.some(({ mode }) => mode === 'transit');
    this.windows = manifest.windows ?? (hasTransit ? [BASE] : []);
    this.timing = BASE_TIMING;
    this.chosen = chosenAt(this.services, this.timing);
    this.columns = manifest.modes.length * this.taxonomy.leafIds.length;
    const all = Object.values(manifest.counties);
    const people = all.reduce((sum, { population }) => sum + population, 0);
    this.weights = [{ ...PEOPLE, total: people }, ...manifest.weights];
    this.counties = Object.entries(manifest.counties)
      .map(([fips, county]) => ({
        fips,
        manifest: county,
        blockBox: boxWithin(county.block_box),
        poiBox: county.poi_box && boxWithin(county.poi_box),
      }))
      .sort((a, b) => (a.fips < b.fips ? -1 : 1));
    this.blockBoxes = new CountyBoxes(this.counties, ({ blockBox }) => blockBox);
    this.poiBoxes = new CountyBoxes(this.counties, ({ poiBox }) => poiBox);
    this.cache = cache;
  }

  /**
   * This release, on which slow work proceeds in the given turns. It shares all else, which a copy
   * cannot with private members of JavaScript: so they are those of TypeScript here.
   */
  withTurns(turns: Turns): Release {
    return Object.assign(Object.create(Release.prototype) as Release, this, { turns });
  }

  /** This release, as read for another window or percentile; undefined if it lacks their times. */
  at(timing: Timing): Release | undefined {
    const chosen = chosenAt(this.services, timing);
    if (chosen.length < this.chosen.length) return undefined;
    return Object.assign(Object.create(Release.prototype) as Release, this, { timing, chosen });
  }

  /** Says that the release lacks a timing; the name of the release precedes. */
  timingFault({ departure, percentile }: Timing): string {
    const held = this.windows.map(({ name, percentiles }) => `${name} (${percentiles.join(', ')})`);
    return `has no transit times of departure ${departure} at percentile ${percentile}; it has ${held.join(', ')}`;
  }

  get window(): WindowOfRelease {
    return this.windows.find(({ name }) => name === this.timing.departure) ?? BASE;
  }

  /** The position in `services` of the one that a mode stands for; -1 if the release lacks it. */
  positionOf(mode: Mode): ReleaseMode {
    return this.chosen.find((position) => this.services[position].mode === mode) ?? -1;
  }

  countyOfBlock(geoid: Geoid): CountyManifest | undefined {
    return this.county(countyOf(geoid));
  }

  county(fips: CountyFips): CountyManifest | undefined {
    return Object.hasOwn(this.manifest.counties, fips) ? this.manifest.counties[fips] : undefined;
  }

  state(fips: string): StateManifest | undefined {
    return Object.hasOwn(this.manifest.states, fips) ? this.manifest.states[fips] : undefined;
  }

  /**
   * Loads what determines which objects a request depends on, and keeps it in memory: the directory
   * of `dest_id`s and the tables of census places. Afterwards, computing an ETag takes no read.
   */
  async prepare(): Promise<void> {
    await Promise.all([
      this.destIds(),
      ...Object.values(this.manifest.states).map((state) => this.places(state)),
    ]);
  }

  /** The blocks of a county. One read of the whole object, then cached. */
  index(county: CountyManifest): Promise<BlockIndex> {
    return this.loadSized(county.objects.index.name, () => loadIndex(this.store, county));
  }

  /**
   * Tenths of a minute to the nearest POI of each leaf type, 0 for beyond 30 minutes: service by
   * service in manifest order, leaves as in `taxonomy.leafIds`. One range read.
   */
  async nearest(county: CountyManifest, ordinal: CountyBlock): Promise<Uint16Array> {
    const ref = county.objects.nearest;
    if (ref.bytes !== nearestBytes(county.blocks, this.columns)) {
      throw new ShardError(ref.name, 'length', 'does not match the manifest');
    }
    const { offset, length } = nearestRange(ordinal, this.columns);
    const bytes = await this.store.readRange(ref, offset, length);
    return decodeNearestRow(ref.name, ordinal, bytes, this.columns);
  }

  /** `nearest` of several blocks, ascending; blocks with nearby rows share a read. */
  async nearestRows({ objects }: CountyManifest, ordinals: Uint32Array): Promise<Uint16Array[]> {
    const runs = runsOfRows(ordinals).map((run) => {
      const read = readNearestRun(this.store, objects.nearest, run, this.columns);
      this.cache.readAlong += read.alongBytes;
      return read.rows;
    });
    return (await Promise.all(runs)).flat();
  }

  /** A weight by name; undefined if the release lacks it. */
  weight(name: string): Weight | undefined {
    return this.weights.find(({ weight }) => weight === name);
  }

  weightObject({ objects }: CountyManifest, weight: string): ObjectRef {
    if (weight === PEOPLE.weight) return objects.index;
    if (objects.weights) return objects.weights;
    throw new ShardError(this.latest.manifest, 'counties', `one has no ${weight}`);
  }

  /**
   * Count of a weight in each block of a county, by ordinal in the index; an unknown population
   * counts as 0. One range read, then cached.
   */
  weightCounts(county: CountyManifest, weight: string): Promise<Uint32Array> {
    const ref = this.weightObject(county, weight);
    return this.cachedFrom(ref, weight, async () => {
      return sized(
        weight === PEOPLE.weight
          ? (await this.index(county)).people()
          : (await this.weightColumns(county, ref, weight, 1))[0],
      );
    });
  }

  /** The object that counts what is within reach of a county's blocks; see `manifest.access`. */
  accessObject({ objects }: CountyManifest): ObjectRef {
    if (objects.access) return objects.access;
    throw new ShardError(this.latest.manifest, 'counties', 'one has no access');
  }

  /**
   * How many of a weight or type are within reach of each block of a county, by ordinal: a column
   * for each service of the release and of `minutesCounted`. One range read, then cached.
   */
  accessCounts(
    county: CountyManifest,
    of: string,
    direction: Direction,
  ): Promise<readonly Uint32Array[]> {
    const ref = this.accessObject(county);
    const { modes } = this.manifest;
    const columns = accessCountsOf({ access: [of], directions: [direction], modes });
    return this.cachedFrom(ref, `${of} ${direction}`, async () => {
      const value = await this.weightColumns(county, ref, accessColumn(columns[0]), columns.length);
      return { value, bytes: value.reduce((sum, { byteLength }) => sum + byteLength, 0) };
    });
  }

  private async weightColumns(
    county: CountyManifest,
    ref: ObjectRef,
    first: string,
    columns: number,
  ): Promise<Uint32Array[]> {
    const table = await this.loadSized(ref.name, () => loadWeights(this.store, ref, county.blocks));
    const position = table.names.indexOf(first);
    if (position === -1) throw new ShardError(ref.name, 'NAME', `lacks ${first}`);
    return table.countsOf(position, columns);
  }

  /**
   * The head of a county's times to the n-th nearest POI, by n and type (`nth-nearest.ts`). Two
   * reads, then cached.
   */
  nthNearest(county: CountyManifest): Promise<Matrix> {
    const { modes } = this.manifest;
    return this.loadSized(county.objects['nth-nearest'].name, () =>
      loadNthNearest(this.store, county, modes.length),
    );
  }

  /** The POI matrix's head. Two reads, then cached. */
  pois(county: CountyManifest): Promise<PoiMatrix> {
    const ref = county.objects.pois;
    const modes = this.manifest.modes.length;
    return this.load(ref.name, (turns) => loadPois(this.store, ref, modes, turns));
  }

  /**
   * The POIs that have this home county, and the head of their catchments. Two reads, then cached.
   */
  catchments(county: CountyManifest): Promise<Catchments> {
    const ref = county.objects.catchment;
    return this.load(ref.name, (turns) => loadCatchments(this.store, ref, turns));
  }

  reachObject(county: CountyManifest, direction: Direction): ObjectRef {
    const ref = county.objects[`reach-${direction}`];
    if (ref) return ref;
    throw new ShardError(this.latest.manifest, 'counties', `one has no reach-${direction}`);
  }

  /** The head of a county's block-to-block times, from or to its blocks. */
  reach(county: CountyManifest, direction: Direction): Promise<Matrix> {
    const ref = this.reachObject(county, direction);
    return this.loadSized(ref.name, () => Matrix.open(this.store, ref));
  }

  /** The head of the timetable around a county. Two reads, then cached. */
  transit({ blocks }: CountyManifest, ref: ObjectRef): Promise<TransitTable> {
    return this.loadSized(ref.name, (turns) => loadTransit(this.store, ref, blocks, turns));
  }

  /** A county's block polygons. One read of the whole object, then cached. */
  areas(county: CountyManifest): Promise<BlockAreas> {
    const ref = county.objects.blocks;
    return this.load(ref.name, (turns) => loadAreas(this.store, ref, turns));
  }

  /** Shared borders of a county's block polygons. Computed once, then cached. */
  borders(county: CountyManifest): Promise<SharedBorders> {
    const make = async (turns: Turns) => {
      const { outlines } = await this.withTurns(turns).areas(county);
      return sized(await turns.run(sharedBorderSteps(outlines)));
    };
    return this.cachedFrom(county.objects.blocks, 'borders', make);
  }

  places(state: StateManifest): Promise<PlaceTable> {
    const ref = state.objects.places;
    return this.retained(ref.name, () =>
      this.loadSized(ref.name, () => PlaceTable.open(this.store, ref)),
    );
  }

  /**
   * Outlines of a state's census places as drawn on the map, in the order of its table. One read,
   * then cached.
   */
  placeOutlines(state: StateManifest): Promise<Outlines> {
    const ref = state.objects['place-map'];
    return this.load(ref.name, (turns) => loadOutlines(this.store, ref, turns));
  }

  /** The blocks whose centre is in a census place, ascending. One range read, then cached. */
  placeBlocks(table: PlaceTable, ordinal: StatePlace): Promise<Float64Array> {
    return this.cachedFrom(table.ref, `blocks-${ordinal}`, async () => {
      return sized(Float64Array.from(await table.blocks(ordinal)));
    });
  }

  /** The boundary of a census place. One range read, then cached. */
  placeArea(table: PlaceTable, ordinal: StatePlace): Promise<BandedArea> {
    return this.cachedFrom(table.ref, `outline-${ordinal}`, async () => {
      return sized(new BandedArea(await table.outline(ordinal)));
    });
  }

  /** The home county of each `dest_id`. One read, then cached. */
  destIds(): Promise<DestDirectory> {
    const ref = this.manifest.objects['dest-ids'];
    return this.retained(ref.name, () =>
      this.loadSized(
        ref.name,
        async () => new DestDirectory(ref.name, await readVerified(this.store, ref)),
      ),
    );
  }

  /** The counties with addresses; undefined in a release without. One read, then kept. */
  addressDirectory(): Promise<AddressDirectory> | undefined {
    const ref = this.manifest.objects['address-directory'];
    return (
      ref &&
      this.retained(ref.name, () =>
        this.load(ref.name, () => loadAddressDirectory(this.store, ref)),
      )
    );
  }

  /** The streets with addresses of a county, whose head has `headBytes`. One read, then cached. */
  addresses(ref: ObjectRef, headBytes: Bytes): Promise<AddressTable> {
    return this.loadSized(ref.name, () => AddressTable.open(this.store, ref, headBytes));
  }

  /** A tile archive. Two reads, then cached. */
  tiles(tiles: TileArchive): Promise<PmtilesArchive> {
    return this.load(tiles.archive.name, async () => {
      const pages = await this.pagesOf({ object: tiles.archive, sums: tiles.sums });
      const value = await PmtilesArchive.open(pages, tiles.archive);
      return { value, bytes: value.byteLength + pages.byteLength };
    });
  }

  /** The bytes of an object, checked as they are read. One read, then cached. */
  pagesOf({ object, sums }: CheckedObject): Promise<CheckedPages> {
    return this.loadSized(sums.name, () =>
      CheckedPages.open(this.store, object, sums, (bytes) => {
        this.cache.readAlong += bytes;
      }),
    );
  }

  /**
   * A value derived from an object, or a part of it: computed, then kept while the cache has room.
   */
  cachedFrom<T extends object>(
    { name }: ObjectRef,
    part: string,
    make: (turns: Turns) => Promise<CachedValue<T>>,
  ): Promise<T> {
    return this.load(`${name}/${part}`, make);
  }

  /** A value derived from the release, computed once and kept as long as the release. */
  retained<T extends object>(name: string, work: () => Promise<T>): Promise<T> {
    return this.kept.getOrCompute(name, work) as Promise<T>;
  }

  private loadSized<T extends { readonly byteLength: Bytes }>(
    key: string,
    load: (turns: Turns) => Promise<T>,
  ): Promise<T> {
    return this.load(key, async (turns) => sized(await load(turns)));
  }

  private load<T extends object>(
    key: string,
    load: (turns: Turns) => Promise<CachedValue<T>>,
  ): Promise<T> {
    return this.cache.getOrLoad(key, load, this.turns);
  }
}
