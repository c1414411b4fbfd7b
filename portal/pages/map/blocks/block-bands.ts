import {
  BLOCK_BANDS_MAGIC,
  type BlockBandsHead,
  decodeColumn,
  HEAD_AT,
  sumsOf,
} from '../../../../shards/bands/block-band-layout.ts';
import { BAND_ENDS, BEYOND, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { keepUntilFailed } from '../../../../shards/concurrency/on-demand.ts';
import { ArchiveSource } from '../tiles/archive-source.ts';

/** Words for a band: `5–10 min`, `over 30 min` … */
export function classWords(band: number): string {
  if (band === UNROUTED) return 'no street near';
  if (band === BEYOND) return `over ${BAND_ENDS.at(-1)} min`;
  return `${BAND_ENDS[band - 2] ?? 0}–${BAND_ENDS[band - 1]} min`;
}

/** Words for a band in ASCII, for files, since spreadsheets guess the encoding of a CSV. */
export function classText(band: number): string {
  return classWords(band).replace('–', '-');
}

/** The block bands of a county, read by ranges: the head once, and a column when it is needed. */
export class CountyBands {
  readonly county: string;
  /** GEOIDs as numbers, ascending. */
  readonly geoids: Float64Array;
  /** Centres, degrees. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly population: readonly (number | null)[];
  /** 1 for a block without land, which the map does not draw. */
  readonly isWater: Uint8Array;
  readonly #source: ArchiveSource;
  readonly #head: BlockBandsHead;
  readonly #columnsAt: number;
  readonly #columns = new Map<number, Promise<Uint8Array>>();

  private constructor(source: ArchiveSource, head: BlockBandsHead, columnsAt: number) {
    this.county = head.county;
    this.geoids = sumsOf(head.geoid_steps);
    this.lon = sumsOf(head.lon_steps).map(toDegrees);
    this.lat = sumsOf(head.lat_steps).map(toDegrees);
    this.population = head.population;
    this.isWater = new Uint8Array(this.geoids.length);
    for (const block of head.water) this.isWater[block] = 1;
    this.#source = source;
    this.#head = head;
    this.#columnsAt = columnsAt;
  }

  static async open(url: string): Promise<CountyBands> {
    const source = new ArchiveSource(url);
    const start = await rangeOf(source, 0, HEAD_AT);
    if (
      new TextDecoder().decode(start.subarray(0, BLOCK_BANDS_MAGIC.length)) !== BLOCK_BANDS_MAGIC
    ) {
      throw new Error(`${url}: not block bands`);
    }
    const bytes = new DataView(start.buffer).getUint32(BLOCK_BANDS_MAGIC.length, true);
    const text = new TextDecoder().decode(await inflate(await rangeOf(source, HEAD_AT, bytes)));
    return new CountyBands(source, JSON.parse(text), HEAD_AT + bytes);
  }

  /** Returns the band of each block for a mode and type; null if there is no such column. */
  bands(mode: string, type: number): Promise<Uint8Array> | null {
    const { modes, dest_type_ids: types } = this.#head;
    const [m, t] = [modes.indexOf(mode), types.indexOf(type)];
    return m === -1 || t === -1 ? null : this.#column(m * types.length + t);
  }

  #column(number: number): Promise<Uint8Array> {
    return keepUntilFailed(this.#columns, number, () => this.#readColumn(number));
  }

  async #readColumn(number: number): Promise<Uint8Array> {
    const lengths = this.#head.column_bytes;
    const at = lengths.slice(0, number).reduce((sum, length) => sum + length, this.#columnsAt);
    const steps = await inflate(await rangeOf(this.#source, at, lengths[number]));
    return decodeColumn(steps, this.geoids.length);
  }
}

function toDegrees(step: number): number {
  return step / 1e5;
}

async function rangeOf(
  source: ArchiveSource,
  at: number,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array((await source.getBytes(at, bytes)).data);
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream();
  const inflated = stream.pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(inflated).arrayBuffer());
}
