import { getOrInsertComputed } from '../arrays/group-by.ts';
import { ordinalIn } from '../arrays/sorted.ts';
import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import { type Geoid, type GeoidNumber, geoidToNumber } from '../geoid.ts';
import { ALL_LINK_MODES, LINK_MODES, type LinkMode } from '../modes.ts';
import { checkedSection, readEnvelope, writeEnvelope } from '../store/envelope.ts';
import { readVerified } from '../store/recorded-hash.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import type { CountyBlock, Metres, MicroDegrees, SquareMetres } from '../units.ts';

export const INDEX_KIND = 'INDX';
/** Tag of the section that lists the modes whose links are recorded, if there are more. */
const MODES_TAG = 'MODE';

/**
 * Why a block centre could not be linked to a mode's streets: no street nearby, the streets there
 * were not read, or the nearby ones are closed to the mode or lead nowhere.
 */
export const UNLINKED_REASONS = [
  'no-street-near',
  'outside-street-data',
  'not-on-mode-network',
] as const;
export type UnlinkedReason = (typeof UNLINKED_REASONS)[number];

/** Link statuses, in the order of their numbers in an index. */
export const LINK_STATUSES = ['linked', ...UNLINKED_REASONS] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export interface BlockLink {
  readonly status: LinkStatus;
  /**
   * Distance from the centre to the nearest point of a street; 0 if not linked. Decimetre
   * precision.
   */
  readonly snap: Metres;
}

export interface BlockRecord {
  readonly geoid: GeoidNumber;
  readonly population: number | null;
  readonly landArea: SquareMetres | null;
  readonly lon: MicroDegrees;
  readonly lat: MicroDegrees;
  /** One link per mode that the index records, in their order. */
  readonly links: readonly BlockLink[];
}

/**
 * The blocks of a county, ascending by GEOID. A block's ordinal here is its row in the county's
 * `nearest` object and in the origin dictionary of its matrices.
 */
export class BlockIndex {
  readonly geoids: Float64Array;
  readonly lon: Int32Array;
  readonly lat: Int32Array;
  readonly #population: Float64Array;
  readonly #landArea: Float64Array;
  readonly #linkStatus: Uint8Array;
  readonly #snapDecimetres: Uint32Array;
  readonly #unlinked = new Map<LinkMode, Uint32Array>();
  /** The modes whose links are recorded, in order. */
  readonly linkModes: readonly LinkMode[];

  private constructor(count: number, linkModes: readonly LinkMode[]) {
    this.linkModes = linkModes;
    this.geoids = new Float64Array(count);
    this.lon = new Int32Array(count);
    this.lat = new Int32Array(count);
    this.#population = new Float64Array(count);
    this.#landArea = new Float64Array(count);
    this.#linkStatus = new Uint8Array(count * linkModes.length);
    this.#snapDecimetres = new Uint32Array(count * linkModes.length);
  }

  get count(): number {
    return this.geoids.length;
  }

  get byteLength(): number {
    return this.count * (8 * 3 + 4 * 2 + 5 * this.linkModes.length);
  }

  /** The row of a block, or -1. */
  ordinalOf(geoid: Geoid): CountyBlock {
    return ordinalIn(this.geoids, geoidToNumber(geoid));
  }

  population(ordinal: CountyBlock): number | null {
    const value = this.#population[ordinal];
    return value < 0 ? null : value;
  }

  /** The population of every block; 0 where it is unknown. */
  people(): Uint32Array {
    return Uint32Array.from(this.#population, (population) => Math.max(0, population));
  }

  landArea(ordinal: CountyBlock): SquareMetres | null {
    const value = this.#landArea[ordinal];
    return value < 0 ? null : value;
  }

  /** Total land area of several blocks; a block of unknown land area adds 0. */
  landAreaOf(ordinals: Uint32Array): SquareMetres {
    let sum = 0;
    for (let i = 0; i < ordinals.length; i++) sum += Math.max(0, this.#landArea[ordinals[i]]);
    return sum;
  }

  link(ordinal: CountyBlock, mode: LinkMode): BlockLink {
    const at = ordinal * this.linkModes.length + this.linkModes.indexOf(mode);
    return { status: LINK_STATUSES[this.#linkStatus[at]], snap: this.#snapDecimetres[at] / 10 };
  }

  isLinked(ordinal: CountyBlock, mode: LinkMode): boolean {
    return this.#linkStatus[ordinal * this.linkModes.length + this.linkModes.indexOf(mode)] === 0;
  }

  /** The blocks without a link for a street mode, ascending. Computed once per mode. */
  unlinked(mode: LinkMode): Uint32Array {
    return getOrInsertComputed(this.#unlinked, mode, () => {
      const blocks: CountyBlock[] = [];
      for (let i = 0; i < this.count; i++) if (!this.isLinked(i, mode)) blocks.push(i);
      return Uint32Array.from(blocks);
    });
  }

  isFullyRoutable(ordinal: CountyBlock): boolean {
    const modes = this.linkModes.length;
    for (let m = 0; m < modes; m++) {
      if (this.#linkStatus[ordinal * modes + m] !== 0) return false;
    }
    return true;
  }

  isRoutable(ordinal: CountyBlock): boolean {
    const modes = this.linkModes.length;
    for (let m = 0; m < modes; m++) {
      if (this.#linkStatus[ordinal * modes + m] === 0) return true;
    }
    return false;
  }

  /** Encodes records, which must ascend by GEOID without repeats. */
  static encode(
    records: readonly BlockRecord[],
    linkModes: readonly LinkMode[] = LINK_MODES,
  ): Uint8Array {
    const geoids = new VarintWriter();
    const facts = new VarintWriter();
    const centres = new VarintWriter();
    const links = new VarintWriter();
    geoids.uint(records.length);
    let previous: BlockRecord | undefined;
    for (const record of records) {
      if (previous && record.geoid <= previous.geoid) {
        throw new RangeError(`block ${record.geoid} comes after block ${previous.geoid}`);
      }
      geoids.uint(record.geoid - (previous?.geoid ?? 0));
      facts.uint(record.population === null ? 0 : record.population + 1);
      facts.uint(record.landArea === null ? 0 : record.landArea + 1);
      centres.int(record.lon - (previous?.lon ?? 0));
      centres.int(record.lat - (previous?.lat ?? 0));
      for (const link of record.links) {
        links.byte(LINK_STATUSES.indexOf(link.status));
        links.uint(Math.round(link.snap * 10));
      }
      previous = record;
    }
    return writeEnvelope(INDEX_KIND, [
      { tag: 'GEOI', bytes: geoids.view() },
      { tag: 'FACT', bytes: facts.view() },
      { tag: 'CENT', bytes: centres.view() },
      { tag: 'LINK', bytes: links.view() },
      ...(linkModes.length > LINK_MODES.length
        ? [{ tag: MODES_TAG, bytes: new TextEncoder().encode(linkModes.join()) }]
        : []),
    ]);
  }

  static async read(store: Store, ref: ObjectRef): Promise<BlockIndex> {
    return BlockIndex.decode(ref.name, await readVerified(store, ref));
  }

  /** Decodes a whole object; throws a `ShardError` for anything that `encode` did not write. */
  static decode(object: string, bytes: Uint8Array): BlockIndex {
    const envelope = readEnvelope(object, bytes, bytes.length, INDEX_KIND);
    const open = (tag: string) => new VarintReader(checkedSection(object, envelope, tag, bytes));
    const geoids = open('GEOI');
    const facts = open('FACT');
    const centres = open('CENT');
    const links = open('LINK');
    const hasModes = envelope.sections.some(({ tag }) => tag === MODES_TAG);
    const modes = hasModes ? checkedSection(object, envelope, MODES_TAG, bytes) : null;
    try {
      const count = geoids.count('blocks');
      const index = new BlockIndex(count, modes ? decodeModes(modes) : LINK_MODES);
      const { linkModes } = index;
      let geoid = 0;
      let lon = 0;
      let lat = 0;
      for (let i = 0; i < count; i++) {
        geoid += geoids.uint();
        lon += centres.int();
        lat += centres.int();
        index.geoids[i] = geoid;
        index.lon[i] = lon;
        index.lat[i] = lat;
        index.#population[i] = facts.uint() - 1;
        index.#landArea[i] = facts.uint() - 1;
        for (let m = 0; m < linkModes.length; m++) {
          const at = i * linkModes.length + m;
          const status = links.byte();
          if (status >= LINK_STATUSES.length) throw new RangeError(`has link status ${status}`);
          index.#linkStatus[at] = status;
          index.#snapDecimetres[at] = links.uint();
        }
      }
      return index;
    } catch (error) {
      throw decodingError(object, 'blocks', error);
    }
  }
}

function decodeModes(bytes: Uint8Array): LinkMode[] {
  const names = new TextDecoder().decode(bytes).split(',');
  return names.map((name) => {
    const mode = ALL_LINK_MODES.find((one) => one === name);
    if (mode === undefined) throw new RangeError(`has links of the mode "${name}"`);
    return mode;
  });
}
