import { BuildError } from '../../builder/errors.ts';
import type { FeedContainer } from '../../builder/gtfs/feed-source.ts';
import { FEED_LIMITS } from '../../builder/gtfs/limits.ts';
import { columnsOf } from '../../builder/gtfs/table.ts';
import { csvRecords } from '../../builder/inputs/csv.ts';
import { bytesOfText } from '../../builder/inputs/text.ts';
import { csvField } from '../../shards/csv/csv-line.ts';

/** A record of a table, which may have been read from it or made. */
export interface TableRecord {
  /** The line that it begins on; null for one that was made. */
  readonly line: number | null;
  /** The line after its last. */
  end: number;
  cells: string[];
  isChanged: boolean;
}

/** The header of a table of a feed, and the records that were read from it. */
export class RawTable {
  /** The path of the table in the feed. */
  readonly name: string;
  readonly #columnAt: ReadonlyMap<string, number>;
  readonly #width: number;
  /** The records to write in place of others, by the lines that these begin on. */
  readonly #edits = new Map<number, { readonly end: number; readonly records: TableRecord[] }>();
  readonly #added: TableRecord[] = [];

  private constructor(name: string, header: readonly string[]) {
    this.name = name;
    this.#width = header.length;
    this.#columnAt = columnsOf(header, () => {});
  }

  /**
   * Reads a table, and passes each record to `onRecord`, which may keep it. Null if the feed has no
   * such table, or an empty one. Records that cannot be read for certain stay where they are.
   */
  static async read(
    feed: FeedContainer,
    file: string,
    onRecord: (table: RawTable, record: TableRecord) => void,
  ): Promise<RawTable | null> {
    const name = nameOfTable(feed, file);
    if (name === null) return null;
    const limits = {
      lines: (FEED_LIMITS.rows as Readonly<Record<string, number>>)[file] ?? MAX_LINES,
      recordLength: FEED_LIMITS.recordLength,
    };
    let table: RawTable | null = null;
    let last: TableRecord | null = null;
    const take = (end: number) => {
      if (last === null) return;
      last.end = end;
      if (table) onRecord(table, last);
      else table = new RawTable(name, last.cells);
      last = null;
    };
    const of = `${feed.path}: ${name}`;
    for await (const records of csvRecords(feed.streamOf(name), of, limits, () => {})) {
      for (const { line, cells } of records) {
        take(line);
        if (cells)
          last = {
            line,
            end: Number.POSITIVE_INFINITY,
            cells: cells as string[],
            isChanged: false,
          };
      }
    }
    take(Number.POSITIVE_INFINITY);
    return table;
  }

  has(column: string): boolean {
    return this.#columnAt.has(column);
  }

  /** Returns a field without outer blanks; '' if the table has no such column. */
  get({ cells }: TableRecord, column: string): string {
    const at = this.#columnAt.get(column);
    return at === undefined ? '' : (cells[at]?.trim() ?? '');
  }

  /** Sets a field, if the table has the column. */
  set(record: TableRecord, column: string, value: string): void {
    const at = this.#columnAt.get(column);
    if (at === undefined || this.get(record, column) === value) return;
    while (record.cells.length <= at) record.cells.push('');
    record.cells[at] = value;
    record.isChanged = true;
  }

  /** Makes a record; columns that the table does not have are left out. */
  make(values: Readonly<Record<string, string | number>>): TableRecord {
    const made = blank(this.#width);
    for (const [column, value] of Object.entries(values)) this.set(made, column, String(value));
    return made;
  }

  /** Makes a record with the fields of another, except for some. */
  copy(record: TableRecord, values: Readonly<Record<string, string | number>> = {}): TableRecord {
    const made = blank(this.#width);
    made.cells = [...record.cells];
    for (const [column, value] of Object.entries(values)) this.set(made, column, String(value));
    return made;
  }

  add(record: TableRecord): void {
    this.#added.push(record);
  }

  drop(record: TableRecord): void {
    this.replace(record, []);
  }

  /** Writes records in place of one that was read, which may be among them. */
  replace(record: TableRecord, by: TableRecord[]): void {
    if (record.line !== null) this.#edits.set(record.line, { end: record.end, records: by });
    else this.#added.splice(this.#added.indexOf(record), 1, ...by);
  }

  get isChanged(): boolean {
    return this.#edits.size > 0 || this.#added.length > 0;
  }

  /**
   * Yields the bytes of the table with its edits, in UTF-8 without a byte order mark: those of
   * records without a change are the ones that were read.
   */
  async *bytes(feed: FeedContainer): AsyncGenerator<Buffer> {
    let page: Buffer[] = [];
    let bytes = 0;
    for await (const line of this.#lines(feed)) {
      page.push(line);
      bytes += line.length;
      if (bytes < PAGE_BYTES) continue;
      yield Buffer.concat(page);
      [page, bytes] = [[], 0];
    }
    yield Buffer.concat(page);
  }

  async *#lines(feed: FeedContainer): AsyncGenerator<Buffer> {
    let line = 0;
    let lineEnd: Buffer = Buffer.alloc(0);
    let isOpen = false;
    /** The lines of a record that is edited. */
    let edited: { readonly line: number; readonly bytes: Buffer[] } | null = null;
    const rewritten = (): Buffer => {
      const { line, bytes } = edited!;
      edited = null;
      return Buffer.concat(
        this.#edits.get(line)!.records.flatMap((record) => {
          if (record.line !== line || record.isChanged) return encode(record, lineEnd);
          return isOpen ? [...bytes, lineEnd] : bytes;
        }),
      );
    };
    for await (const bytes of linesOf(bytesOfText(this.name, feed.streamOf(this.name)))) {
      line++;
      if (line === 1) lineEnd = lineEndOf(bytes);
      if (edited && line >= this.#edits.get(edited.line)!.end) yield rewritten();
      isOpen = lineEndOf(bytes).length === 0;
      if (!edited && this.#edits.has(line)) edited = { line, bytes: [] };
      if (edited) edited.bytes.push(bytes);
      else yield bytes;
    }
    if (edited) yield rewritten();
    else if (isOpen && this.#added.length > 0) yield lineEnd;
    for (const record of this.#added) yield encode(record, lineEnd);
  }
}

/** Streams handle small pieces slowly. */
const PAGE_BYTES = 1 << 16;
/** Lines of a table that the builder does not read. */
const MAX_LINES = 50_000_000;

function blank(width: number): TableRecord {
  return {
    line: null,
    end: 0,
    cells: new Array<string>(width).fill(''),
    isChanged: true,
  };
}

/** The path of a table in a feed, in whatever folder it is, in capitals or not. */
function nameOfTable({ names }: FeedContainer, file: string): string | null {
  return names.find((name) => name.toLowerCase().split('/').at(-1) === file) ?? null;
}

function encode({ cells }: TableRecord, lineEnd: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(cells.map((cell) => csvField(cell.trim())).join(',')),
    lineEnd,
  ]);
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

function lineEndOf(line: Buffer): Buffer {
  let at = line.length;
  while (at > 0 && (line[at - 1] === LINE_FEED || line[at - 1] === CARRIAGE_RETURN)) at--;
  return line.subarray(at);
}

/** Splits bytes into lines with their ends: `\n`, `\r\n` or `\r`, as the reader of CSV counts. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    let start = 0;
    let feed = bytes.indexOf(LINE_FEED);
    let carriage = bytes.indexOf(CARRIAGE_RETURN);
    for (;;) {
      let at = feed;
      if (carriage !== -1 && (feed === -1 || carriage < feed)) {
        // One at the very end may be the first half of a line end.
        if (carriage === bytes.length - 1) break;
        at = bytes[carriage + 1] === LINE_FEED ? carriage + 1 : carriage;
      }
      if (at === -1) break;
      yield bytes.subarray(start, at + 1);
      start = at + 1;
      if (feed !== -1 && feed < start) feed = bytes.indexOf(LINE_FEED, start);
      if (carriage !== -1 && carriage < start) carriage = bytes.indexOf(CARRIAGE_RETURN, start);
    }
    held = bytes.subarray(start);
    if (held.length > FEED_LIMITS.recordLength * 4)
      throw new BuildError('a line of a table is too long');
  }
  if (held.length > 0) yield held;
}
