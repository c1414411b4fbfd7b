import { PbfReader } from 'pbf';
import type { EpochMillis } from '../../shards/units.ts';
import { Unsupported } from './blob-reader.ts';
import { PackedColumn } from './packed-column.ts';
import type { Tags } from './tags.ts';

export interface RelationMember {
  readonly type: 'node' | 'way' | 'relation';
  readonly ref: number;
  readonly role: string;
}

/** Callbacks for the elements of a file. Kinds without a handler are skipped undecoded. */
export interface PbfHandlers {
  /** `lon` and `lat` are in degrees. `tags` is valid only during the call. */
  node?(id: number, lon: number, lat: number, tags: Tags): void;
  /**
   * Called for each node of each way that has the locations of its nodes, besides `node` for those
   * that the file has as elements.
   */
  location?: ((id: number, lon: number, lat: number) => void) | undefined;
  /** `refs` and `tags` are valid only during the call. */
  way?(id: number, refs: Float64Array, tags: Tags): void;
  relation?(id: number, members: readonly RelationMember[], tags: Tags): void;
}

/**
 * The numbers of elements in a block, and the newest timestamp decoded. A dense group that is not
 * decoded counts as one node.
 */
interface BlockCounts {
  nodes: number;
  ways: number;
  relations: number;
  newestMs: EpochMillis;
}

const MEMBER_TYPES = ['node', 'way', 'relation'] as const;
/**
 * Nanodegrees, the unit of the format's coordinates, per degree. Dividing by this, unlike
 * multiplying by 10⁻⁹, rounds once.
 */
export const NANODEGREES = 1e9;

/** Decodes one `PrimitiveBlock`, calling the handlers in file order. */
export function decodeBlock(bytes: Uint8Array, handlers: PbfHandlers): BlockCounts {
  return new BlockDecoder(bytes, handlers).decode();
}

class BlockDecoder {
  readonly #bytes: Uint8Array;
  readonly #handlers: PbfHandlers;
  readonly #tags: BlockTags;
  readonly #counts: BlockCounts = { nodes: 0, ways: 0, relations: 0, newestMs: 0 };
  #strings: StringTable = new StringTable(new Uint8Array(0));
  #granularity = 100;
  #lonOffset = 0;
  #latOffset = 0;
  #dateGranularity = 1000;
  // The columns of one element or dense group, in memory reused for the next.
  readonly #keys = new PackedColumn();
  readonly #values = new PackedColumn();
  readonly #refs = new PackedColumn();
  readonly #lats = new PackedColumn();
  readonly #lons = new PackedColumn();

  constructor(bytes: Uint8Array, handlers: PbfHandlers) {
    this.#bytes = bytes;
    this.#handlers = handlers;
    this.#tags = new BlockTags();
  }

  decode(): BlockCounts {
    const pbf = new PbfReader(this.#bytes);
    const groups: Uint8Array[] = [];
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) this.#strings = new StringTable(pbf.readBytes());
      else if (field === 2) groups.push(pbf.readBytes());
      else if (field === 17) this.#granularity = pbf.readVarint();
      else if (field === 18) this.#dateGranularity = pbf.readVarint();
      else if (field === 19) this.#latOffset = pbf.readVarint(true);
      else if (field === 20) this.#lonOffset = pbf.readVarint(true);
    }
    this.#tags.strings = this.#strings;
    for (const group of groups) this.#group(new PbfReader(group));
    return this.#counts;
  }

  #group(pbf: PbfReader): void {
    const { node, way, location, relation } = this.#handlers;
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) {
        this.#counts.nodes++;
        if (node) this.#plainNode(pbf, enter(pbf), node);
      } else if (field === 2) {
        if (node) this.#denseNodes(pbf, enter(pbf), node);
        else this.#counts.nodes++;
      } else if (field === 3) {
        this.#counts.ways++;
        if (way || location) this.#way(pbf, enter(pbf), way, location);
      } else if (field === 4) {
        this.#counts.relations++;
        if (relation) this.#relation(pbf, enter(pbf), relation);
      }
    }
  }

  #lon(units: number): number {
    return (this.#lonOffset + this.#granularity * units) / NANODEGREES;
  }

  #lat(units: number): number {
    return (this.#latOffset + this.#granularity * units) / NANODEGREES;
  }

  #plainNode(pbf: PbfReader, end: number, handle: NonNullable<PbfHandlers['node']>): void {
    let [id, lon, lat] = [0, 0, 0];
    const [keys, values] = [this.#keys.clear(), this.#values.clear()];
    for (let field = pbf.nextField(end); field !== 0; field = pbf.nextField(end)) {
      if (field === 1) id = pbf.readSVarint();
      else if (field === 2) keys.readUnsigned(pbf);
      else if (field === 3) values.readUnsigned(pbf);
      else if (field === 4) this.#info(pbf, enter(pbf));
      else if (field === 8) lat = pbf.readSVarint();
      else if (field === 9) lon = pbf.readSVarint();
    }
    handle(checkedId(id), this.#lon(lon), this.#lat(lat), this.#tags.columns(keys, values));
  }

  #denseNodes(pbf: PbfReader, end: number, handle: NonNullable<PbfHandlers['node']>): void {
    const ids = this.#refs.clear();
    const [lats, lons] = [this.#lats.clear(), this.#lons.clear()];
    const pairs = this.#keys.clear();
    for (let field = pbf.nextField(end); field !== 0; field = pbf.nextField(end)) {
      if (field === 1) ids.readDeltas(pbf);
      else if (field === 5) this.#denseInfo(pbf, enter(pbf));
      else if (field === 8) lats.readDeltas(pbf);
      else if (field === 9) lons.readDeltas(pbf);
      else if (field === 10) pairs.readUnsigned(pbf);
    }
    if (lats.length !== ids.length || lons.length !== ids.length) {
      throw new RangeError('its nodes and their coordinates do not match');
    }
    this.#counts.nodes += ids.length;
    let at = 0;
    for (let i = 0; i < ids.length; i++) {
      let last = at;
      while (last < pairs.length && pairs.values[last] !== 0) last += 2;
      const tags = this.#tags.pairs(pairs.values, at, last);
      handle(checkedId(ids.values[i]), this.#lon(lons.values[i]), this.#lat(lats.values[i]), tags);
      at = last + 1;
    }
  }

  #way(
    pbf: PbfReader,
    end: number,
    handle: PbfHandlers['way'],
    locate: PbfHandlers['location'],
  ): void {
    let id = 0;
    const [keys, values, refs] = [this.#keys.clear(), this.#values.clear(), this.#refs.clear()];
    const [lats, lons] = [this.#lats.clear(), this.#lons.clear()];
    for (let field = pbf.nextField(end); field !== 0; field = pbf.nextField(end)) {
      if (field === 1) id = pbf.readVarint(true);
      else if (field === 2) keys.readUnsigned(pbf);
      else if (field === 3) values.readUnsigned(pbf);
      else if (field === 4) this.#info(pbf, enter(pbf));
      else if (field === 8) refs.readDeltas(pbf);
      else if (field === 9 && locate) lats.readDeltas(pbf);
      else if (field === 10 && locate) lons.readDeltas(pbf);
    }
    checkedId(id);
    if (locate) this.#locations(refs, locate);
    handle?.(id, refs.view(), this.#tags.columns(keys, values));
  }

  /** Passes on the locations of a way's nodes, except for those that were unknown to its writer. */
  #locations(refs: PackedColumn, locate: NonNullable<PbfHandlers['location']>): void {
    const [lats, lons] = [this.#lats, this.#lons];
    if (lats.length === 0 && lons.length === 0) return;
    if (lats.length !== refs.length || lons.length !== refs.length) {
      throw new RangeError('the nodes of a way and their coordinates do not match');
    }
    for (let i = 0; i < refs.length; i++) {
      const [lon, lat] = [this.#lon(lons.values[i]), this.#lat(lats.values[i])];
      if (Math.abs(lon) <= 180 && Math.abs(lat) <= 90) locate(refs.values[i], lon, lat);
    }
  }

  #relation(pbf: PbfReader, end: number, handle: NonNullable<PbfHandlers['relation']>): void {
    let id = 0;
    const [keys, values, refs] = [this.#keys.clear(), this.#values.clear(), this.#refs.clear()];
    let roles: number[] = [];
    let types: number[] = [];
    for (let field = pbf.nextField(end); field !== 0; field = pbf.nextField(end)) {
      if (field === 1) id = pbf.readVarint(true);
      else if (field === 2) keys.readUnsigned(pbf);
      else if (field === 3) values.readUnsigned(pbf);
      else if (field === 4) this.#info(pbf, enter(pbf));
      else if (field === 8) roles = pbf.readPackedVarint();
      else if (field === 9) refs.readDeltas(pbf);
      else if (field === 10) types = pbf.readPackedVarint();
    }
    const members = Array.from(refs.view(), (ref, i): RelationMember => {
      const type = MEMBER_TYPES[types[i]];
      if (!type) throw new RangeError(`relation ${id} has a member of unknown type`);
      return { type, ref, role: this.#strings.at(roles[i] ?? 0) };
    });
    handle(checkedId(id), members, this.#tags.columns(keys, values));
  }

  #info(pbf: PbfReader, end: number): void {
    for (let field = pbf.nextField(end); field !== 0; field = pbf.nextField(end)) {
      if (field === 2) this.#seen(pbf.readVarint(true));
    }
  }

  #denseInfo(pbf: PbfReader, end: number): void {
    for (let field = pbf.nextField(end); field !== 0; field = pbf.nextField(end)) {
      if (field !== 2) continue;
      const stamps = this.#values.clear();
      stamps.readDeltas(pbf);
      for (let i = 0; i < stamps.length; i++) this.#seen(stamps.values[i]);
    }
  }

  #seen(timestamp: number): void {
    const ms = timestamp * this.#dateGranularity;
    if (ms > this.#counts.newestMs) this.#counts.newestMs = ms;
  }
}

/** Enters a message, and returns its end position. */
function enter(pbf: PbfReader): number {
  const length = pbf.readVarint();
  if (pbf.pos + length > pbf.length) throw new RangeError('an element in it is truncated');
  return pbf.pos + length;
}

function checkedId(id: number): number {
  if (id > 0) return id;
  throw new Unsupported(
    `has ${id < 0 ? `negative ids, such as ${id}` : 'an id of 0'}; run osmium sort and then osmium renumber on it`,
  );
}

/** A block's strings, each decoded on first use, since most are never used. */
class StringTable {
  readonly #bytes: Buffer;
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #decoded: (string | undefined)[] = [];

  constructor(table: Uint8Array) {
    this.#bytes = Buffer.from(table.buffer, table.byteOffset, table.byteLength);
    const pbf = new PbfReader(table);
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field !== 1) continue;
      const end = pbf.readVarint() + pbf.pos;
      this.#starts.push(pbf.pos);
      this.#ends.push(end);
      pbf.pos = end;
    }
  }

  at(index: number): string {
    const known = this.#decoded[index];
    if (known !== undefined) return known;
    if (index >= this.#starts.length) throw new RangeError(`it has no string ${index}`);
    const text = this.#bytes.toString('utf8', this.#starts[index], this.#ends[index]);
    this.#decoded[index] = text;
    return text;
  }
}

/** One element's tags as pairs of string indices; the object is reused for the next element. */
class BlockTags implements Tags {
  strings: StringTable = new StringTable(new Uint8Array(0));
  #pairs: ArrayLike<number> = [];
  #start = 0;
  #end = 0;
  readonly #scratch: number[] = [];

  pairs(pairs: ArrayLike<number>, start: number, end: number): this {
    this.#pairs = pairs;
    this.#start = start;
    this.#end = end;
    return this;
  }

  columns(keys: PackedColumn, values: PackedColumn): this {
    if (values.length !== keys.length) throw new RangeError('its tags lack keys or values');
    for (let i = 0; i < keys.length; i++) {
      this.#scratch[2 * i] = keys.values[i];
      this.#scratch[2 * i + 1] = values.values[i];
    }
    return this.pairs(this.#scratch, 0, keys.length * 2);
  }

  get size(): number {
    return (this.#end - this.#start) >> 1;
  }

  get(key: string): string | undefined {
    for (let i = this.#start; i < this.#end; i += 2) {
      if (this.strings.at(this.#pairs[i]) === key) return this.strings.at(this.#pairs[i + 1]);
    }
    return undefined;
  }

  has(key: string): boolean {
    for (let i = this.#start; i < this.#end; i += 2) {
      if (this.strings.at(this.#pairs[i]) === key) return true;
    }
    return false;
  }

  *entries(): Generator<[string, string]> {
    for (let i = this.#start; i < this.#end; i += 2) {
      yield [this.strings.at(this.#pairs[i]), this.strings.at(this.#pairs[i + 1])];
    }
  }
}
