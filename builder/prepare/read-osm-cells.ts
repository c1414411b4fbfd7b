import { z } from 'zod';
import { boxesMeet, boxWithin, bufferBox } from '../../shards/geometry/wgs84.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import { objectRefSchema, unmappedValueSchema } from '../../shards/release/manifest.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox, Metres } from '../../shards/units.ts';
import { extractOsm, type OsmExtract, type OsmFile } from '../extract/extract-osm.ts';
import { OsmCellJoiner } from '../extract/osm-cell.ts';
import type { Progress } from '../progress.ts';
import { readJson } from '../publish/put-object.ts';
import { preparedMapSchema } from './base-map-cells.ts';
import { objectsNear, preparedCellsSchema, wideAreaSchema } from './cells.ts';

export const preparedOsmSchema = z.strictObject({
  /** Facts about each file, as JSON. */
  files: objectRefSchema,
  /** The elements of each non-empty cell. */
  cells: preparedCellsSchema,
  /** Areas that cover many cells, and the boxes around them. */
  wide: z.array(wideAreaSchema),
  map: preparedMapSchema,
  /** The most frequent values of shops and amenities that have no type. */
  unmapped: z.array(unmappedValueSchema),
});
export type PreparedOsm = z.infer<typeof preparedOsmSchema>;

/**
 * Streets are read this much farther than anything can be reached. Links to a street depend on
 * whether it is part of an island, and regions that share a border have to agree. So a component
 * counts as an island only if it ends within what is read, and islands seldom extend farther.
 */
const ISLAND_MARGIN: Metres = 5_000;

/** The area in which streets are read, given the area within reach. */
export function streetAreaOf(area: BoundingBox): BoundingBox {
  return bufferBox(area, ISLAND_MARGIN);
}

/** The OpenStreetMap elements of a plan, of which only those around an area are read. */
export class OsmTables {
  readonly #store: Store;
  readonly #prepared: PreparedOsm;

  constructor(store: Store, prepared: PreparedOsm) {
    this.#store = store;
    this.#prepared = prepared;
  }

  /** Reads destinations within `area`, and streets within `streetArea`, which contains `area`. */
  async extract(
    area: BoundingBox,
    streetArea: BoundingBox,
    progress: Progress,
  ): Promise<OsmExtract> {
    const { cells, wide } = this.#prepared;
    const wideNear = wide.filter(({ box }) => boxesMeet(boxWithin(box), area));
    const near = [...objectsNear(cells, streetArea), ...wideNear.map(({ object }) => object)];
    const stage = progress.start('osm', near.length, 'objects');
    const joiner = new OsmCellJoiner();
    for (const [i, ref] of near.entries()) {
      joiner.add(ref.name, await readVerified(this.#store, ref));
      stage.at(i + 1);
    }
    const extract = extractOsm(joiner.finish(), await this.#files(), area, streetArea);
    const { streets, nodes, missing, destinations } = extract;
    stage.finish(
      `${counted(streets.count, 'street way')}, ${counted(nodes.count, 'node')} (${withCommas(missing.atEnds)} missing at the edge), ${counted(destinations.length, 'POI')}`,
    );
    if (missing.inside > 0) {
      progress.note(
        `${counted(missing.inside, 'node')} missing inside ${counted(missing.cutWays, 'way')}, cut there: the extract lacks nodes of its streets`,
      );
    }
    return extract;
  }

  #files(): Promise<OsmFile[]> {
    return readJson(this.#store, this.#prepared.files);
  }
}
