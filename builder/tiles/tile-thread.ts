import { workerData } from 'piscina';
import { openStore } from '../../shards/store/open-store.ts';
import { sendingErrors } from '../threads/sent-errors.ts';
import { TileDrawer, type TilePiece, type TilesRequest } from './tile-drawer.ts';

const { request, location } = workerData as { request: TilesRequest; location: string };
const drawer = new TileDrawer(request, await openStore(location));

/** The work of a tile-drawing thread for each piece. */
export default sendingErrors((piece: TilePiece) => drawer.draw(piece));
