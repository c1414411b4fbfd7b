import type { CountyManifest, Direction } from '../../shards/release/manifest.ts';
import type { ObjectRef } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { RegionCounty } from '../receipts/region-receipt.ts';
import type { PoiObjects } from './poi-objects.ts';

type ByCounty<T> = ReadonlyMap<CountyFips, T>;

/** The objects of counties that no region can make by itself. */
interface JoinedObjects {
  readonly poiObjects: PoiObjects;
  readonly catchments: ByCounty<ObjectRef>;
  /** Null in a release without the direction `to`. */
  readonly reachTo: ByCounty<ObjectRef> | null;
  /** Null without tiles. */
  readonly blockBands: ByCounty<NonNullable<CountyManifest['block_bands']>> | null;
  /** Empty without weights. */
  readonly weights: Readonly<Record<CountyFips, ObjectRef>>;
  /** Empty without addresses. */
  readonly addresses: Readonly<Record<CountyFips, ObjectRef>>;
}

/** Returns the counties of a release in the form of its manifest. */
export function countyManifests(
  counties: ByCounty<RegionCounty>,
  directions: readonly Direction[],
  { poiObjects, catchments, reachTo, blockBands, weights, addresses }: JoinedObjects,
): Record<CountyFips, CountyManifest> {
  const manifests: Record<CountyFips, CountyManifest> = {};
  for (const [county, { searched }] of counties) {
    const { poi_rows, reach_rows, objects, ...facts } = searched;
    const { box, map } = poiObjects.of(county);
    const [weight, address] = [weights[county], addresses[county]];
    manifests[county] = {
      ...facts,
      poi_box: box,
      reach: reachOf(counties, county, directions),
      objects: {
        ...objects,
        ...(reachTo && { 'reach-to': reachTo.get(county)! }),
        catchment: catchments.get(county)!,
        'poi-map': map,
        ...(weight && { weights: weight }),
        ...(address && { addresses: address }),
      },
      ...(blockBands && { block_bands: blockBands.get(county)! }),
    };
  }
  return manifests;
}

/** Finds the counties that a county's rows lead to, and those whose rows lead to it. */
function reachOf(
  counties: ByCounty<RegionCounty>,
  county: CountyFips,
  directions: readonly Direction[],
): CountyManifest['reach'] {
  const reaching = [...counties].filter(([, { reach }]) => reach.includes(county));
  return {
    from: [...counties.get(county)!.reach],
    to: directions.includes('to') ? reaching.map(([from]) => from) : [],
  };
}
