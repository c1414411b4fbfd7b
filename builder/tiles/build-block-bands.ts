import { encodeBlockBands } from '../../shards/bands/block-bands.ts';
import { BEYOND, UNROUTED } from '../../shards/bands/time-bands.ts';
import { BlockIndex } from '../../shards/blocks/block-index.ts';
import { hashOfJson } from '../../shards/codec/json-object.ts';
import { linkModeOf } from '../../shards/modes.ts';
import { counted } from '../../shards/number-words.ts';
import { type TileArchive, tileArchiveSchema } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import type { CountyFips } from '../../shards/units.ts';
import { putArchive } from '../publish/put-object.ts';
import type { StageContext } from '../receipts/receipts.ts';
import { readBands } from './tile-county.ts';
import type { TilesRequest } from './tile-drawer.ts';

/** Increment when the same objects produce different bytes. */
const BLOCK_BANDS_VERSION = 1;

/**
 * Makes the block bands of each county from its `index` and `nearest`, unless they were made
 * before. Only one county is in memory at a time.
 */
export async function buildBlockBands(
  request: TilesRequest,
  { store, receipts, progress }: StageContext,
): Promise<Map<CountyFips, TileArchive>> {
  const all = Object.entries(request.counties);
  const stage = progress.start('block bands', all.length, 'counties');
  const made = new Map<CountyFips, TileArchive>();
  for (const [county, { objects }] of all) {
    const { modes, taxonomy } = request;
    const from = [objects.index.sha256, objects.nearest.sha256];
    const key = hashOfJson([BLOCK_BANDS_VERSION, modes, taxonomy.types, ...from]);
    const make = async () => {
      const bytes = await encodeCounty(request, county, store);
      return putArchive(store, `tiles/block-bands-${county}`, 'bands', bytes);
    };
    const stageName = `block-bands-${county}`;
    made.set(county, await receipts.findOrMake(stageName, key, tileArchiveSchema, make));
    stage.at(made.size);
  }
  const bytes = [...made.values()].reduce((sum, { archive }) => sum + archive.bytes, 0);
  stage.finish(counted(bytes, 'byte'));
  return made;
}

async function encodeCounty(
  { modes, taxonomy, counties }: TilesRequest,
  county: CountyFips,
  store: Store,
): Promise<Uint8Array> {
  const { leafIds } = new Taxonomy(taxonomy.types);
  const { index: indexRef, nearest } = counties[county].objects;
  const index = await BlockIndex.read(store, indexRef);
  const columns = modes.length * leafIds.length;
  const times = await readVerified(store, nearest);
  const bands = readBands(nearest.name, times, index.count, columns);
  const blocks = Array.from(index.geoids.keys());
  for (const [m, mode] of modes.entries()) {
    const street = linkModeOf(mode);
    for (const block of blocks) {
      const none = index.isLinked(block, street) ? BEYOND : UNROUTED;
      for (let leaf = 0; leaf < leafIds.length; leaf++) {
        const cell = (m * leafIds.length + leaf) * index.count + block;
        if (bands[cell] === 0) bands[cell] = none;
      }
    }
  }
  const facts = {
    county,
    modes,
    leafIds,
    geoids: index.geoids,
    lon: index.lon,
    lat: index.lat,
    population: blocks.map((block) => index.population(block)),
    water: blocks.filter((block) => index.landArea(block) === 0),
  };
  return encodeBlockBands(facts, bands);
}
