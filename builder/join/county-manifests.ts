import type { CountyManifest, Direction, TileArchive } from '../../shards/release/manifest.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { JoinedCounty } from './join-part.ts';
import { type Counties, reachOf } from './join-regions.ts';

/** The objects of counties that no region can make by itself. */
interface JoinedObjects {
  readonly joined: ReadonlyMap<CountyFips, JoinedCounty>;
  /** Access classes; empty for a release that has none. */
  readonly classes: Readonly<Record<CountyFips, TileArchive>>;
  /** Empty without weights. */
  readonly weights: Readonly<Record<CountyFips, ObjectRef>>;
  /** Empty without addresses. */
  readonly addresses: Readonly<Record<CountyFips, ObjectRef>>;
  /** Empty without a layer of counties. */
  readonly names: Readonly<Record<CountyFips, string>>;
}

/** Returns the counties of a release in the form of its manifest. */
export function countyManifests(
  counties: Counties,
  directions: readonly Direction[],
  { joined, classes, weights, addresses, names }: JoinedObjects,
): Record<CountyFips, CountyManifest> {
  const manifests: Record<CountyFips, CountyManifest> = {};
  for (const [county, { searched }] of counties) {
    const { poi_rows, reach_rows, objects, ...facts } = searched;
    const { poi_box, block_bands, 'reach-to': reachTo, access, ...made } = joined.get(county)!;
    const [weight, address] = [weights[county], addresses[county]];
    manifests[county] = {
      ...(county in names && { name: names[county] }),
      ...facts,
      poi_box,
      reach: reachOf(counties, county, directions),
      objects: {
        ...objects,
        ...(reachTo && { 'reach-to': reachTo }),
        ...(access && { access }),
        catchment: made.catchment,
        'poi-map': made['poi-map'],
        ...(weight && { weights: weight }),
        ...(address && { addresses: address }),
      },
      ...(block_bands && { block_bands }),
      ...(county in classes && { access_classes: classes[county] }),
    };
  }
  return manifests;
}
