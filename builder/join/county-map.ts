import { readOutlines } from '../../shards/fgb/outlines.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { dissolve } from '../../shards/geometry/dissolve.ts';
import { polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { Store } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';

/** Writes the counties of a release as a FlatGeobuf layer, each as the union of its blocks. */
export async function countyMap(
  store: Store,
  counties: ReadonlyMap<CountyFips, RegionCounty>,
): Promise<Uint8Array> {
  const features = [];
  for (const [county, { searched }] of counties) {
    const {
      population,
      objects: { blocks },
    } = searched;
    const outlines = readOutlines(blocks.name, await readVerified(store, blocks));
    const areas = Uint32Array.from(outlines.geoids.keys());
    const polygons = polygonsOfAll(dissolve([{ outlines, areas }], 0));
    features.push({
      geometry: { polygons },
      properties: { county, population },
    });
  }
  return writeFlatGeobuf(
    'counties',
    [
      { name: 'county', type: 'string' },
      { name: 'population', type: 'int64' },
    ],
    features,
  );
}
