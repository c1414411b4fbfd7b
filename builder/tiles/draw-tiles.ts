import path from 'node:path';
import { z } from 'zod';
import { counted } from '../../shards/number-words.ts';
import { objectRefSchema } from '../../shards/release/manifest.ts';
import type { PutBody } from '../../shards/store/put-body.ts';
import { ScratchFile } from '../../shards/store/scratch-file.ts';
import type { Bytes } from '../../shards/units.ts';
import { bytesOf } from '../inputs/number-table.ts';
import { putObject } from '../publish/put-object.ts';
import type { ReceiptOf, StageContext } from '../receipts/receipts.ts';
import { inOrder } from '../threads/pool.ts';
import { HEAD_NUMBERS, type PieceOfTiles, type TilePiece } from './tile-drawer.ts';
import { openTilePool } from './tile-pool.ts';
import type { TileWork } from './tile-work.ts';

interface DrawingContext extends StageContext {
  readonly scratch: string;
  readonly threads: number;
}

/** Drawn tiles, an object for each group of archives; null for a group without any. */
const drawnSchema = z.array(objectRefSchema.nullable());
type DrawnTiles = z.infer<typeof drawnSchema>;

export function tilesReceipt({ units }: TileWork, unit: number): ReceiptOf<typeof drawnSchema> {
  const { counties, drawnFrom } = units[unit];
  return [`tiles-${counties[0]}`, drawnFrom, drawnSchema];
}

/**
 * Draws the tiles of a unit's pyramids and stores them by groups of archives, for `joinArchives`.
 * Proceeds pyramid by pyramid, which bounds memory; any number of threads draw a pyramid's tiles.
 */
export async function drawTiles(
  work: TileWork,
  unit: number,
  { store, receipts, progress, scratch, threads }: DrawingContext,
): Promise<DrawnTiles> {
  const { request, groups, units } = work;
  const { counties, pyramids } = units[unit];
  return receipts.findOrMake(...tilesReceipt(work, unit), async () => {
    const pieces = pyramids.flatMap((pyramid) => groups.map((group) => ({ pyramid, ...group })));
    const stage = progress.start('tiles', pieces.length, 'tile parts');
    const drawn = new Drawn(path.join(scratch, 'drawn'));
    const pool = openTilePool(request, store, threads);
    let done = 0;
    try {
      await inOrder<TilePiece, PieceOfTiles>(pool, pieces, (piece, { firstArchive }) => {
        drawn.add(firstArchive, piece);
        stage.at(++done);
      });
      const refs: DrawnTiles = [];
      for (const { firstArchive } of groups) {
        const body = drawn.bodyOf(firstArchive);
        const stem = `regions/tiles-${counties[0]}-${firstArchive}`;
        refs.push(body.bytes > 0 ? await putObject(store, stem, 'bin', body) : null);
      }
      stage.finish(counted(drawn.tiles, 'tile'));
      return refs;
    } finally {
      await pool.close();
      drawn.close();
    }
  });
}

/** Drawn tiles, which wait in a scratch file for those of later pyramids. */
class Drawn {
  tiles = 0;
  readonly #file: ScratchFile;
  /** The pieces by their first archive. */
  readonly #pieces = new Map<number, { readonly at: Bytes; readonly bytes: Bytes }[]>();

  constructor(file: string) {
    this.#file = new ScratchFile(file);
  }

  add(firstArchive: number, { heads, bytes }: PieceOfTiles): void {
    if (heads.length === 0) return;
    this.tiles += heads.length / HEAD_NUMBERS;
    const sizes = Uint32Array.of(heads.length, bytes.length);
    const parts = [bytesOf(sizes), bytesOf(heads), bytes];
    const [at] = parts.map((part) => this.#file.append(part));
    const pieces = this.#pieces.get(firstArchive) ?? [];
    pieces.push({ at, bytes: parts.reduce((sum, part) => sum + part.length, 0) });
    this.#pieces.set(firstArchive, pieces);
  }

  bodyOf(firstArchive: number): PutBody {
    const file = this.#file;
    const pieces = this.#pieces.get(firstArchive) ?? [];
    return {
      bytes: pieces.reduce((sum, piece) => sum + piece.bytes, 0),
      async *chunks() {
        for (const { at, bytes } of pieces) yield file.read(at, bytes);
      },
    };
  }

  close(): void {
    this.#file.close();
  }
}

/** Yields the pieces of a stored group of archives, which `bytes` holds whole. */
export function* piecesIn(bytes: Uint8Array): Generator<PieceOfTiles> {
  // A copy, since pieces do not begin at multiples of four bytes.
  const numbers = (at: Bytes, count: number) =>
    new Uint32Array(new Uint8Array(bytes.subarray(at, at + 4 * count)).buffer);
  for (let at = 0; at < bytes.length; ) {
    const [headNumbers, length] = numbers(at, 2);
    const heads = numbers(at + 8, headNumbers);
    const begin = at + 8 + heads.byteLength;
    at = begin + length;
    yield { heads, bytes: bytes.subarray(begin, at) };
  }
}
