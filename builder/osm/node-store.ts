import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import FlatQueue from 'flatqueue';
import { PbfReader } from 'pbf';
import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import { countWhile } from '../../shards/arrays/sorted.ts';
import { VarintWriter } from '../../shards/codec/varint.ts';
import type { Degrees } from '../../shards/units.ts';
import { PackedColumn } from './packed-column.ts';
import { bytesField, DeltaColumn } from './pbf-writer.ts';
import { NANODEGREES } from './primitive-block.ts';

/** Nodes per block, which is read and decoded as a whole. */
const BLOCK_NODES = 512;
const SORTED_NODES = 2 ** 18;
/** Decoded blocks held in memory: 59 MB. */
const HELD_BLOCKS = 2 ** 12;
const WRITE_BYTES = 2 ** 20;

/** Nodes in blocks of a file, ascending by id, each id once. */
interface Run {
  readonly firstIds: Float64Array;
  /** The position of each block, and the end of the last. */
  readonly offsets: Float64Array;
}

/** Columns of nodes. `mark` is a number of the caller's own. */
class NodeColumns {
  readonly id: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly mark: Uint32Array;

  constructor(room: number) {
    this.id = new Float64Array(room);
    this.lon = new Float64Array(room);
    this.lat = new Float64Array(room);
    this.mark = new Uint32Array(room);
  }
}

/**
 * Sorts nodes by id in bounded memory: an external merge sort whose only run is the result where
 * the nodes are in order, as those of a sorted file are. The last version of a node counts; one
 * whose mark is 0 has only a location, and takes the mark of the one before.
 */
export class NodeSorter {
  readonly #path: string;
  readonly #writer: RunWriter;
  readonly #runs: Run[] = [];
  readonly #held = new NodeColumns(SORTED_NODES);
  #count = 0;
  #isAscending = true;
  #last = 0;

  /** `path`: a file to be made. */
  constructor(path: string) {
    this.#path = path;
    this.#writer = new RunWriter(path);
  }

  add(id: number, lon: Degrees, lat: Degrees, mark: number): void {
    if (this.#count === SORTED_NODES) this.#flush();
    const at = this.#count++;
    if (at > 0 && id <= this.#held.id[at - 1]) this.#isAscending = false;
    this.#held.id[at] = id;
    this.#held.lon[at] = lon;
    this.#held.lat[at] = lat;
    this.#held.mark[at] = mark;
  }

  /** Returns the nodes, ascending by id. */
  finish(): NodeStore {
    this.#flush();
    this.#endRun();
    this.#writer.close();
    if (this.#runs.length <= 1) return new NodeStore(this.#path, this.#runs[0] ?? NO_NODES);
    const merged = `${this.#path}-merged`;
    const writer = new RunWriter(merged);
    const source = openSync(this.#path, 'r');
    const whole = new VersionJoiner(writer);
    mergeRuns(source, this.#runs, (id, lon, lat, mark) => whole.add(id, lon, lat, mark));
    whole.finish();
    closeSync(source);
    unlinkSync(this.#path);
    const run = writer.endRun();
    writer.close();
    return new NodeStore(merged, run);
  }

  #flush(): void {
    const { id, lon, lat, mark } = this.#held;
    const count = this.#count;
    if (count === 0) return;
    let order: Uint32Array | null = null;
    if (!this.#isAscending) {
      order = Uint32Array.from({ length: count }, (_, i) => i);
      order.sort((a, b) => id[a] - id[b] || a - b);
    }
    if (id[order?.[0] ?? 0] <= this.#last) this.#endRun();
    const whole = new VersionJoiner(this.#writer);
    for (let i = 0; i < count; i++) {
      const at = order === null ? i : order[i];
      whole.add(id[at], lon[at], lat[at], mark[at]);
    }
    whole.finish();
    this.#last = id[order?.[count - 1] ?? count - 1];
    this.#count = 0;
    this.#isAscending = true;
  }

  #endRun(): void {
    const run = this.#writer.endRun();
    if (run.firstIds.length > 0) this.#runs.push(run);
    this.#last = 0;
  }
}

const NO_NODES: Run = { firstIds: new Float64Array(0), offsets: new Float64Array(1) };

/** Joins the versions of a node, which arrive one after another. */
class VersionJoiner {
  readonly #writer: RunWriter;
  #id = 0;
  #lon = 0;
  #lat = 0;
  #mark = 0;

  constructor(writer: RunWriter) {
    this.#writer = writer;
  }

  add(id: number, lon: Degrees, lat: Degrees, mark: number): void {
    if (id !== this.#id) {
      this.finish();
      this.#mark = 0;
    }
    this.#id = id;
    this.#lon = lon;
    this.#lat = lat;
    if (mark !== 0) this.#mark = mark;
  }

  finish(): void {
    if (this.#id !== 0) this.#writer.add(this.#id, this.#lon, this.#lat, this.#mark);
  }
}

/** Fields of a block, numbered as those of dense nodes. */
const ID = 1;
const LAT = 8;
const LON = 9;
const MARK = 10;

class RunWriter {
  readonly #file: number;
  readonly #pending = new VarintWriter(WRITE_BYTES);
  readonly #ids = new DeltaColumn();
  readonly #lons = new DeltaColumn();
  readonly #lats = new DeltaColumn();
  readonly #marks = new VarintWriter();
  #count = 0;
  #written = 0;
  #firstIds = new GrowableArray(Float64Array);
  #offsets = new GrowableArray(Float64Array);

  constructor(path: string) {
    this.#file = openSync(path, 'w');
  }

  add(id: number, lon: Degrees, lat: Degrees, mark: number): void {
    if (this.#count === 0) {
      this.#firstIds.push(id);
      this.#offsets.push(this.#written + this.#pending.length);
    }
    this.#ids.push(id);
    this.#lons.push(Math.round(lon * NANODEGREES));
    this.#lats.push(Math.round(lat * NANODEGREES));
    this.#marks.uint(mark);
    if (++this.#count === BLOCK_NODES) this.#endBlock();
  }

  endRun(): Run {
    if (this.#count > 0) this.#endBlock();
    this.#offsets.push(this.#written + this.#pending.length);
    const run = {
      firstIds: this.#firstIds.view().slice(),
      offsets: this.#offsets.view().slice(),
    };
    this.#firstIds = new GrowableArray(Float64Array);
    this.#offsets = new GrowableArray(Float64Array);
    return run;
  }

  close(): void {
    this.#write();
    closeSync(this.#file);
  }

  #endBlock(): void {
    bytesField(this.#pending, ID, this.#ids.bytes.view());
    bytesField(this.#pending, LAT, this.#lats.bytes.view());
    bytesField(this.#pending, LON, this.#lons.bytes.view());
    bytesField(this.#pending, MARK, this.#marks.view());
    for (const column of [this.#ids, this.#lats, this.#lons, this.#marks]) column.reset();
    this.#count = 0;
    if (this.#pending.length >= WRITE_BYTES) this.#write();
  }

  #write(): void {
    const bytes = this.#pending.view();
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    this.#written += bytes.length;
    this.#pending.reset();
  }
}

class BlockReader {
  readonly #file: number;
  readonly #run: Run;
  readonly #ids = new PackedColumn();
  readonly #lons = new PackedColumn();
  readonly #lats = new PackedColumn();
  readonly #marks = new PackedColumn();

  constructor(file: number, run: Run) {
    this.#file = file;
    this.#run = run;
  }

  /** Decodes a block into columns from a position on; returns the number of its nodes. */
  read(block: number, into: NodeColumns, at: number): number {
    const [start, end] = [this.#run.offsets[block], this.#run.offsets[block + 1]];
    const bytes = new Uint8Array(end - start);
    if (readSync(this.#file, bytes, 0, bytes.length, start) !== bytes.length) {
      throw new Error(
        'the file of node locations ends early: has another program changed the scratch folder?',
      );
    }
    const columns = [this.#ids, this.#lons, this.#lats, this.#marks];
    for (const column of columns) column.clear();
    const pbf = new PbfReader(bytes);
    for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
      if (field === ID) this.#ids.readDeltas(pbf);
      else if (field === LAT) this.#lats.readDeltas(pbf);
      else if (field === LON) this.#lons.readDeltas(pbf);
      else this.#marks.readUnsigned(pbf);
    }
    const { length } = this.#ids;
    for (let i = 0; i < length; i++) {
      into.id[at + i] = this.#ids.values[i];
      into.lon[at + i] = this.#lons.values[i] / NANODEGREES;
      into.lat[at + i] = this.#lats.values[i] / NANODEGREES;
      into.mark[at + i] = this.#marks.values[i];
    }
    return length;
  }
}

/** Passes on the nodes of runs by id, versions of one node in the order of the runs. */
function mergeRuns(
  file: number,
  runs: readonly Run[],
  visit: (id: number, lon: Degrees, lat: Degrees, mark: number) => void,
): void {
  const queue = new FlatQueue<RunCursor>();
  const push = (one: RunCursor) => queue.push(one, one.id * runs.length + one.order);
  for (const [order, run] of runs.entries()) push(new RunCursor(file, run, order));
  for (let first = queue.pop(); first; first = queue.pop()) {
    first.visit(visit);
    if (first.next()) push(first);
  }
}

class RunCursor {
  readonly order: number;
  readonly #reader: BlockReader;
  readonly #blocks: number;
  readonly #columns = new NodeColumns(BLOCK_NODES);
  #block = 0;
  #count: number;
  #at = 0;

  constructor(file: number, run: Run, order: number) {
    this.order = order;
    this.#reader = new BlockReader(file, run);
    this.#blocks = run.firstIds.length;
    this.#count = this.#reader.read(0, this.#columns, 0);
  }

  get id(): number {
    return this.#columns.id[this.#at];
  }

  visit(use: (id: number, lon: Degrees, lat: Degrees, mark: number) => void): void {
    const { id, lon, lat, mark } = this.#columns;
    use(id[this.#at], lon[this.#at], lat[this.#at], mark[this.#at]);
  }

  next(): boolean {
    if (++this.#at < this.#count) return true;
    if (++this.#block === this.#blocks) return false;
    this.#count = this.#reader.read(this.#block, this.#columns, 0);
    this.#at = 0;
    return true;
  }
}

/**
 * Locations of nodes by id, in a file. Lookups near each other are cheap, since ways mostly refer
 * to nodes that were made together; memory does not depend on the number of nodes but for 32 bytes
 * per thousand of them.
 */
export class NodeStore {
  readonly #path: string;
  readonly #file: number;
  readonly #run: Run;
  readonly #reader: BlockReader;
  readonly #held = new NodeColumns(HELD_BLOCKS * BLOCK_NODES);
  /** Per slot: the block in it, or -1, and the number of its nodes. */
  readonly #blockIn = new Int32Array(HELD_BLOCKS).fill(-1);
  readonly #counts = new Uint32Array(HELD_BLOCKS);
  #block = 0;
  #at = 0;

  constructor(path: string, run: Run) {
    this.#path = path;
    this.#file = openSync(path, 'r');
    this.#run = run;
    this.#reader = new BlockReader(this.#file, run);
  }

  /** Whether the store has a node; if so, `lon`, `lat` and `mark` are its own. */
  find(id: number): boolean {
    const { firstIds } = this.#run;
    if (!(firstIds[this.#block] <= id && !(firstIds[this.#block + 1] <= id))) {
      this.#block = countWhile(firstIds.length, (block) => firstIds[block] <= id) - 1;
      if (this.#block === -1) {
        this.#block = 0;
        return false;
      }
    }
    const slot = this.#block % HELD_BLOCKS;
    const start = slot * BLOCK_NODES;
    if (this.#blockIn[slot] !== this.#block) {
      this.#counts[slot] = this.#reader.read(this.#block, this.#held, start);
      this.#blockIn[slot] = this.#block;
    }
    const ids = this.#held.id;
    let low = start;
    let high = start + this.#counts[slot] - 1;
    // Nodes of a way often follow each other.
    if (ids[this.#at + 1] === id && this.#at + 1 >= low && this.#at + 1 <= high) {
      this.#at++;
      return true;
    }
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (ids[middle] <= id) low = middle;
      else high = middle - 1;
    }
    this.#at = low;
    return ids[low] === id;
  }

  get lon(): Degrees {
    return this.#held.lon[this.#at];
  }

  get lat(): Degrees {
    return this.#held.lat[this.#at];
  }

  get mark(): number {
    return this.#held.mark[this.#at];
  }

  /** Closes and removes the file. */
  close(): void {
    closeSync(this.#file);
    unlinkSync(this.#path);
  }
}
