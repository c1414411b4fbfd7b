import { openStore } from '../../shards/store/open-store.ts';
import type { Store } from '../../shards/store/store.ts';
import { openThreads, type Pool, thisThread } from '../threads/pool.ts';
import { type PieceOfTiles, TileDrawer, type TilePiece, type TilesRequest } from './tile-drawer.ts';

type TilePool = Pool<TilePiece, PieceOfTiles>;

export async function openWork([request, location]: readonly [TilesRequest, string]) {
  const drawer = new TileDrawer(request, await openStore(location));
  return (piece: TilePiece) => drawer.draw(piece);
}

/**
 * Opens a pool of threads that draw tiles of a store's objects. A single thread is the current one.
 * More threads open the store themselves, and run compiled code: when running from source, request
 * one.
 */
export function openTilePool(request: TilesRequest, store: Store, threads: number): TilePool {
  if (threads === 1) {
    const drawer = new TileDrawer(request, store);
    return thisThread((piece) => drawer.draw(piece));
  }
  const module = new URL('./tile-pool.js', import.meta.url);
  return openThreads(module, threads, [request, store.location]);
}
