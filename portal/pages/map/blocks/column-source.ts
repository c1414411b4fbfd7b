import { decodeColumn, HEAD_AT } from '../../../../shards/bands/column-layout.ts';
import { keepUntilFailed } from '../../../../shards/concurrency/on-demand.ts';
import { ArchiveSource } from '../tiles/archive-source.ts';

/** A public file of columns, read by ranges: the head once, and a column when it is needed. */
export class ColumnSource<Head extends { readonly column_bytes: readonly number[] }> {
  readonly head: Head;
  readonly #source: ArchiveSource;
  readonly #columnsAt: number;
  readonly #columns = new Map<number, Promise<Uint8Array>>();

  private constructor(source: ArchiveSource, head: Head, columnsAt: number) {
    this.head = head;
    this.#source = source;
    this.#columnsAt = columnsAt;
  }

  /** Opens a file; fails unless it begins with `magic`. */
  static async open<Head extends { readonly column_bytes: readonly number[] }>(
    url: string,
    magic: string,
  ): Promise<ColumnSource<Head>> {
    const source = new ArchiveSource(url);
    const start = await rangeOf(source, 0, HEAD_AT);
    if (new TextDecoder().decode(start.subarray(0, magic.length)) !== magic) {
      throw new Error(`${url}: does not begin with ${magic}`);
    }
    const bytes = new DataView(start.buffer).getUint32(magic.length, true);
    const text = new TextDecoder().decode(await inflate(await rangeOf(source, HEAD_AT, bytes)));
    return new ColumnSource<Head>(source, JSON.parse(text), HEAD_AT + bytes);
  }

  /** The number of each block in a column. */
  column(number: number, blocks: number): Promise<Uint8Array> {
    return keepUntilFailed(this.#columns, number, async () => {
      const lengths = this.head.column_bytes;
      const at = lengths.slice(0, number).reduce((sum, length) => sum + length, this.#columnsAt);
      const steps = await inflate(await rangeOf(this.#source, at, lengths[number]));
      return decodeColumn(steps, blocks);
    });
  }
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
