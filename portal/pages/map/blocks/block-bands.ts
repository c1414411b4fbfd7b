import {
  ACCESS_CLASSES_MAGIC,
  type AccessClassesHead,
} from '../../../../shards/access/access-class-layout.ts';
import {
  BLOCK_BANDS_MAGIC,
  type BlockBandsHead,
  sumsOf,
} from '../../../../shards/bands/block-band-layout.ts';
import { BAND_ENDS, BEYOND, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { onDemand } from '../../../../shards/concurrency/on-demand.ts';
import { count } from '../../formats.ts';
import { LACKING } from '../measures/block-classes.ts';
import { ColumnSource } from './column-source.ts';

export function geoidText(geoid: number): string {
  return String(geoid).padStart(15, '0');
}

/** Words for a band: `5–10 min`, `over 30 min` … */
export function classWords(band: number): string {
  if (band === LACKING) return 'not in that release';
  if (band === UNROUTED) return 'no street near';
  if (band === BEYOND) return `over ${BAND_ENDS.at(-1)} min`;
  return `${BAND_ENDS[band - 2] ?? 0}–${BAND_ENDS[band - 1]} min`;
}

/** Words for a band in ASCII, for files, since spreadsheets guess the encoding of a CSV. */
export function classText(band: number): string {
  return classWords(band).replace('–', '-');
}

/** Words for the class of a count: `0`, `3–4`, `10,000–20,000`, `50,000 or more`. */
export function countWords(one: number, bounds: readonly number[]): string {
  if (one === UNROUTED) return 'no street near';
  const [least, end] = [bounds[one - 2], bounds[one - 1]];
  if (end === undefined) return least === undefined ? 'any number' : `${count(least)} or more`;
  if (least === undefined) return end === 1 ? '0' : `under ${count(end)}`;
  // A bound that two classes share is plain only among large numbers.
  const last = bounds.at(-1)! < 1_000 ? end - 1 : end;
  return last === least ? count(least) : `${count(least)}–${count(last)}`;
}

export interface CountedAccess {
  readonly of: string;
  readonly direction: string;
  /** The service by name. */
  readonly mode: string;
  readonly minutes: number;
}

/** The classes of some blocks by a count, and their bounds. */
interface AccessColumn {
  readonly classes: Uint8Array;
  readonly bounds: readonly number[];
}

export interface CountyUrls {
  readonly url: string;
  readonly name?: string | null;
  readonly access: { readonly url: string } | null;
}

/** The blocks of a county, with their bands and classes, which are read when they are needed. */
export class CountyBands {
  readonly county: string;
  /** Null if the release has no names of counties. */
  readonly name: string | null;
  /** GEOIDs as numbers, ascending. */
  readonly geoids: Float64Array;
  /** Centres, degrees. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly population: readonly (number | null)[];
  /** 1 for a block without land, which the map does not draw. */
  readonly isWater: Uint8Array;
  readonly #source: ColumnSource<BlockBandsHead>;
  readonly #access: (() => Promise<ColumnSource<AccessClassesHead>>) | null;

  private constructor(
    source: ColumnSource<BlockBandsHead>,
    { access, name }: Pick<CountyUrls, 'access' | 'name'>,
  ) {
    const { head } = source;
    this.county = head.county;
    this.name = name ?? null;
    this.geoids = sumsOf(head.geoid_steps);
    this.lon = sumsOf(head.lon_steps).map(toDegrees);
    this.lat = sumsOf(head.lat_steps).map(toDegrees);
    this.population = head.population;
    this.isWater = new Uint8Array(this.geoids.length);
    for (const block of head.water) this.isWater[block] = 1;
    this.#source = source;
    this.#access = access && onDemand(() => ColumnSource.open(access.url, ACCESS_CLASSES_MAGIC));
  }

  static async open({ url, ...of }: CountyUrls): Promise<CountyBands> {
    const source = await ColumnSource.open<BlockBandsHead>(url, BLOCK_BANDS_MAGIC);
    return new CountyBands(source, of);
  }

  /** Returns the band of each block for a service and type; null if there is no such column. */
  bands(service: string, type: number): Promise<Uint8Array> | null {
    const { modes, dest_type_ids: types } = this.#source.head;
    const [m, t] = [modes.indexOf(service), types.indexOf(type)];
    if (m === -1 || t === -1) return null;
    return this.#source.column(m * types.length + t, this.geoids.length);
  }

  /** Returns the classes of the blocks by what is within reach; null if it is not counted. */
  async access({ of, direction, mode, minutes }: CountedAccess): Promise<AccessColumn | null> {
    if (this.#access === null) return null;
    const source = await this.#access();
    const { counts } = source.head;
    const at = counts.findIndex(
      (one) =>
        one.of === of &&
        one.direction === direction &&
        one.mode === mode &&
        one.minutes === minutes,
    );
    if (at === -1) return null;
    const { bounds } = counts[at];
    return { bounds, classes: await source.column(at, this.geoids.length) };
  }
}

function toDegrees(step: number): number {
  return step / 1e5;
}
