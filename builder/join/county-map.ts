import { readOutlines } from '../../shards/fgb/outlines.ts';
import { writeFlatGeobuf } from '../../shards/fgb/writer.ts';
import { dissolve } from '../../shards/geometry/dissolve.ts';
import { polygonsOfAll } from '../../shards/geometry/geo-json.ts';
import { readVerified } from '../../shards/store/recorded-hash.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';

/** The counties of a release as a layer: each the union of its blocks. */
export async function countyMap(
  store: Store,
  counties: readonly { county: CountyFips; population: number; blocks: ObjectRef }[],
): Promise<Uint8Array> {
  const features = [];
  for (const { county, population, blocks } of counties) {
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
