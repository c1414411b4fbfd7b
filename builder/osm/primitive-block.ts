import { PbfReader } from 'pbf';
import type { Tags } from './tags.ts';

export interface RelationMember {
  readonly type: 'node' | 'way' | 'relation';
  readonly ref: number;
  readonly role: string;
}

/** What a reader wants of a file. Kinds without a handler are skipped undecoded. */
export interface PbfHandlers {
  /** Degrees. `tags` is valid during the call. */
  node?(id: number, lon: number, lat: number, tags: Tags): void;
  /** `refs` and `tags` are valid during the call. */
  way?(id: number, refs: readonly number[], tags: Tags): void;
  relation?(id: number, members: readonly RelationMember[], tags: Tags): void;
}

/** What a block held. */
export interface BlockCounts {
  nodes: number;
  ways: number;
  relations: number;
  newestMs: number;
}

const MEMBER_TYPES = ['node', 'way', 'relation'] as const;
/** The format's coordinates are nanodegrees; dividing, unlike multiplying by 10⁻⁹, rounds once. */
const NANODEGREES = 1e9;

/** Decodes one `PrimitiveBlock`, calling the handlers in the order of the file. */
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
    const { node, way, relation } = this.#handlers;
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) {
        this.#counts.nodes++;
        if (node) this.#plainNode(new PbfReader(pbf.readBytes()), node);
      } else if (field === 2) {
        const dense = pbf.readBytes();
        if (node) this.#denseNodes(new PbfReader(dense), node);
        else this.#counts.nodes++;
      } else if (field === 3) {
        this.#counts.ways++;
        if (way) this.#way(new PbfReader(pbf.readBytes()), way);
      } else if (field === 4) {
        this.#counts.relations++;
        if (relation) this.#relation(new PbfReader(pbf.readBytes()), relation);
      }
    }
  }

  #lon(units: number): number {
    return (this.#lonOffset + this.#granularity * units) / NANODEGREES;
  }

  #lat(units: number): number {
    return (this.#latOffset + this.#granularity * units) / NANODEGREES;
  }

  #plainNode(pbf: PbfReader, handle: NonNullable<PbfHandlers['node']>): void {
    let [id, lon, lat] = [0, 0, 0];
    let keys: number[] = [];
    let values: number[] = [];
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) id = pbf.readSVarint();
      else if (field === 2) keys = pbf.readPackedVarint();
      else if (field === 3) values = pbf.readPackedVarint();
      else if (field === 4) this.#info(new PbfReader(pbf.readBytes()));
      else if (field === 8) lat = pbf.readSVarint();
      else if (field === 9) lon = pbf.readSVarint();
    }
    handle(checkedId(id), this.#lon(lon), this.#lat(lat), this.#tags.columns(keys, values));
  }

  #denseNodes(pbf: PbfReader, handle: NonNullable<PbfHandlers['node']>): void {
    let ids: number[] = [];
    let lats: number[] = [];
    let lons: number[] = [];
    let pairs: number[] = [];
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) ids = pbf.readPackedSVarint();
      else if (field === 5) this.#denseInfo(new PbfReader(pbf.readBytes()));
      else if (field === 8) lats = pbf.readPackedSVarint();
      else if (field === 9) lons = pbf.readPackedSVarint();
      else if (field === 10) pairs = pbf.readPackedVarint();
    }
    if (lats.length !== ids.length || lons.length !== ids.length) {
      throw new RangeError('its nodes and their coordinates do not match');
    }
    this.#counts.nodes += ids.length;
    let [id, lat, lon, at] = [0, 0, 0, 0];
    for (let i = 0; i < ids.length; i++) {
      id += ids[i];
      lat += lats[i];
      lon += lons[i];
      let end = at;
      while (end < pairs.length && pairs[end] !== 0) end += 2;
      handle(checkedId(id), this.#lon(lon), this.#lat(lat), this.#tags.pairs(pairs, at, end));
      at = end + 1;
    }
  }

  #way(pbf: PbfReader, handle: NonNullable<PbfHandlers['way']>): void {
    let id = 0;
    let keys: number[] = [];
    let values: number[] = [];
    let refs: number[] = [];
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) id = pbf.readVarint(true);
      else if (field === 2) keys = pbf.readPackedVarint();
      else if (field === 3) values = pbf.readPackedVarint();
      else if (field === 4) this.#info(new PbfReader(pbf.readBytes()));
      else if (field === 8) refs = pbf.readPackedSVarint();
    }
    undoDeltas(refs);
    handle(checkedId(id), refs, this.#tags.columns(keys, values));
  }

  #relation(pbf: PbfReader, handle: NonNullable<PbfHandlers['relation']>): void {
    let id = 0;
    let keys: number[] = [];
    let values: number[] = [];
    let roles: number[] = [];
    let refs: number[] = [];
    let types: number[] = [];
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 1) id = pbf.readVarint(true);
      else if (field === 2) keys = pbf.readPackedVarint();
      else if (field === 3) values = pbf.readPackedVarint();
      else if (field === 4) this.#info(new PbfReader(pbf.readBytes()));
      else if (field === 8) roles = pbf.readPackedVarint();
      else if (field === 9) refs = pbf.readPackedSVarint();
      else if (field === 10) types = pbf.readPackedVarint();
    }
    undoDeltas(refs);
    const members = refs.map((ref, i): RelationMember => {
      const type = MEMBER_TYPES[types[i]];
      if (!type) throw new RangeError(`relation ${id} has a member of unknown type`);
      return { type, ref, role: this.#strings.at(roles[i] ?? 0) };
    });
    handle(checkedId(id), members, this.#tags.columns(keys, values));
  }

  #info(pbf: PbfReader): void {
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === 2) this.#seen(pbf.readVarint(true));
    }
  }

  #denseInfo(pbf: PbfReader): void {
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field !== 2) continue;
      let stamp = 0;
      const end = pbf.readPackedEnd();
      while (pbf.pos < end) {
        stamp += pbf.readSVarint();
        this.#seen(stamp);
      }
    }
  }

  #seen(timestamp: number): void {
    const ms = timestamp * this.#dateGranularity;
    if (ms > this.#counts.newestMs) this.#counts.newestMs = ms;
  }
}

function undoDeltas(values: number[]): void {
  for (let i = 1; i < values.length; i++) values[i] += values[i - 1];
}

function checkedId(id: number): number {
  if (id > 0) return id;
  throw new RangeError(`an element has the id ${id}; ids must be positive (renumber the file)`);
}

/** A block's strings, decoded when first asked for: most never are. */
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

/** One element's tags as pairs of string numbers; the object is used again for the next element. */
class BlockTags implements Tags {
  strings: StringTable = new StringTable(new Uint8Array(0));
  #pairs: readonly number[] = [];
  #start = 0;
  #end = 0;
  readonly #scratch: number[] = [];

  pairs(pairs: readonly number[], start: number, end: number): this {
    this.#pairs = pairs;
    this.#start = start;
    this.#end = end;
    return this;
  }

  columns(keys: readonly number[], values: readonly number[]): this {
    for (let i = 0; i < keys.length; i++) {
      this.#scratch[2 * i] = keys[i];
      this.#scratch[2 * i + 1] = values[i];
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
