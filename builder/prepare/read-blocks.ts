import { z } from 'zod';
import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import { boxSchema, countyFipsSchema, objectRefSchema } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import { decodeBlocks, decodePoints, decodePopulations } from '../census/block-table.ts';
import type { BlockPoint, CensusBlock } from '../census/blocks.ts';

const preparedCountySchema = z.strictObject({
  /** The box around the points of the county's blocks: west, south, east, north. */
  box: boxSchema,
  points: objectRefSchema,
  outlines: objectRefSchema,
});
export type PreparedCounty = z.infer<typeof preparedCountySchema>;

/** References to the block tables of all counties in a store. */
export const preparedBlocksSchema = z.record(countyFipsSchema, preparedCountySchema);
export type PreparedBlocks = z.infer<typeof preparedBlocksSchema>;

/** The blocks of a plan, read on request. */
export class BlockTables {
  readonly #store: Store;
  readonly #prepared: PreparedBlocks;

  constructor(store: Store, prepared: PreparedBlocks) {
    this.#store = store;
    this.#prepared = prepared;
  }

  /** All counties, ascending. */
  get counties(): CountyFips[] {
    return Object.keys(this.#prepared).sort();
  }

  /** The counties whose blocks may lie in a box, ascending. */
  countiesNear(box: BoundingBox): CountyFips[] {
    return this.counties.filter((county) => boxesMeet(this.boxOf(county), box));
  }

  /** The box around the points of a county's blocks. */
  boxOf(county: CountyFips): BoundingBox {
    const [minLon, minLat, maxLon, maxLat] = this.#prepared[county].box;
    return { minLon, minLat, maxLon, maxLat };
  }

  refsOf(county: CountyFips): ObjectRef[] {
    const { points, outlines } = this.#prepared[county];
    return [points, outlines];
  }

  /** Reads the populations of a county's blocks, 0 where unknown, and their GEOIDs, ascending. */
  async populations(
    county: CountyFips,
  ): Promise<{ geoids: Float64Array; populations: Uint32Array }> {
    const { points, outlines } = this.#prepared[county];
    return decodePopulations(
      points.name,
      await readVerified(this.#store, points),
      outlines.name,
      await readVerified(this.#store, outlines),
    );
  }

  /** Reads the points of a county's blocks, ascending by GEOID. */
  async points(county: CountyFips): Promise<BlockPoint[]> {
    const { points } = this.#prepared[county];
    return decodePoints(points.name, await readVerified(this.#store, points), county);
  }

  /** Reads a county's blocks, ascending by GEOID. */
  async blocks(county: CountyFips): Promise<CensusBlock[]> {
    const { outlines } = this.#prepared[county];
    const points = await this.points(county);
    return decodeBlocks(outlines.name, await readVerified(this.#store, outlines), points);
  }
}
