import path from 'node:path';
import { writeOsmCells } from '../../builder/prepare/write-osm-cells.ts';
import { silent } from '../../builder/progress.ts';
import { putObject } from '../../builder/publish/put-object.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { ThreadExecutor } from '../../builder/tasks/thread-executor.ts';
import type { TilesRequest } from '../../builder/tiles/tile-drawer.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { EVERYWHERE, edgesOf } from '../../shards/geometry/wgs84.ts';
import { encodeNearest } from '../../shards/nearest/nearest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { BALTIMORE_BLOCKS, BALTIMORE_OSM } from './baltimore.ts';
import { jobsBy, keyOf, withBlocks } from './prepared-city.ts';

/** Baltimore's blocks and map, ready to be drawn, without any time to a POI. */
export interface BaltimoreToDraw {
  readonly store: FolderStore;
  readonly request: TilesRequest;
  readonly index: BlockIndex;
}

export async function baltimoreToDraw(folder: string): Promise<BaltimoreToDraw> {
  const store = new FolderStore(path.join(folder, 'store'));
  const [blocks, box] = await withBlocks([BALTIMORE_BLOCKS], async (tables) => [
    await tables.blocks('24510'),
    tables.boxOf('24510'),
  ]);
  const outlines = writeFlatGeobuf(
    'blocks',
    [{ name: 'geoid', type: 'string' }],
    blocks.map(({ area, geoid }) => ({
      geometry: area,
      properties: { geoid: geoidFromNumber(geoid) },
    })),
  );
  const index = BlockIndex.encode(
    blocks.map(({ geoid, population, landArea, lon, lat }) => ({
      geoid,
      population,
      landArea,
      lon: Math.round(lon * 1e6),
      lat: Math.round(lat * 1e6),
      links: [0, 1].map(() => ({ status: 'linked' as const, snap: 0 })),
    })),
  );
  const objects = {
    index: await putObject(store, 'index/24510', 'tta', index),
    blocks: await putObject(store, 'blocks/24510', 'fgb', outlines),
    nearest: await putObject(
      store,
      'nearest/24510',
      'tta',
      encodeNearest('nearest/24510', new Uint16Array(blocks.length), 1),
    ),
  };
  const receipts = new Receipts(store);
  const { map } = await writeOsmCells({
    paths: [BALTIMORE_OSM],
    scratch: folder,
    keyOf,
    area: EVERYWHERE,
    mapped: [box],
    store,
    receipts,
    run: jobsBy(new ThreadExecutor(store, {}, silent), store, receipts),
    progress: silent,
  });
  const type = { dest_type_id: 101, name: 'Shops', label: 'shops', parent_id: null };
  return {
    store,
    index: BlockIndex.decode('index', index),
    request: {
      modes: ['walk'],
      taxonomy: { version: '1', types: [type] },
      counties: { '24510': { block_box: edgesOf(box), objects } },
      baseMap: { features: map, places: {} },
    },
  };
}
