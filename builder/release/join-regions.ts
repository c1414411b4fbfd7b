import type { Store } from '../../shards/store/store.ts';
import type { CountyFips, DestId } from '../../shards/units.ts';
import type { CensusPlace } from '../census/census-places.ts';
import type { DestinationFacts } from '../destinations/destination.ts';
import { isListed } from '../destinations/listed-poi.ts';
import { BuildError } from '../errors.ts';
import type { PlannedInput } from '../plan/planned-input.ts';
import type { ReleasePlan, StoredPlan } from '../plan/release-plan.ts';
import { type Gathered, readGathered } from '../receipts/gathered.ts';
import type { RegionCounty, RegionReceipt } from '../receipts/region-receipt.ts';
import type { ReleaseSources } from './components.ts';

/** What regions hold together. */
export interface JoinedRegions extends Gathered {
  readonly sources: ReleaseSources;
  /** Ascending. */
  readonly counties: ReadonlyMap<CountyFips, RegionCounty>;
}

/**
 * Puts the receipts of a plan's regions together; their order does not matter. Throws a `BuildError`
 * for one of another plan, and unless each county of the plan is in just one of them.
 */
export async function joinRegions(
  store: Store,
  { plan, ref }: StoredPlan,
  receipts: readonly RegionReceipt[],
): Promise<JoinedRegions> {
  const regions = [...receipts].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const counties = new Map<CountyFips, RegionCounty>();
  for (const region of regions) {
    if (region.plan !== ref.sha256) {
      throw new BuildError(
        `the region of ${nameOf(region)} was built by plan ${short(region.plan)}, and the release is of plan ${short(ref.sha256)}; build it by that`,
      );
    }
    for (const [county, built] of Object.entries(region.counties)) {
      if (counties.has(county)) throw new BuildError(`county ${county} is in two of the regions`);
      counties.set(county, built);
    }
  }
  const missing = Object.keys(plan.counties).find((county) => !counties.has(county));
  if (missing !== undefined) {
    throw new BuildError(`county ${missing} of the plan is in none of the regions; build it first`);
  }
  return {
    sources: sourcesOf(plan, regions),
    counties: new Map([...counties].sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(await joinGathered(store, regions)),
  };
}

function nameOf({ counties }: RegionReceipt): string {
  return Object.keys(counties).sort()[0];
}

const SHOWN_DIGITS = 16;

function short(sha256: string): string {
  return sha256.slice(0, SHOWN_DIGITS);
}

function sourcesOf(
  { inputs, service_date }: ReleasePlan,
  regions: readonly RegionReceipt[],
): ReleaseSources {
  const printsOf = (files: readonly PlannedInput[]) => files.map(({ sha256 }) => sha256);
  return {
    files: {
      osm: printsOf(inputs.osm),
      blocks: printsOf(inputs.blocks),
      listed: printsOf(inputs.pois),
      ...(inputs.elevation.length > 0 && { elevation: printsOf(inputs.elevation) }),
    },
    streetsAsOfMs: Math.max(...regions.map((region) => region.streets_as_of_ms)),
    listedTypes: new Set(regions.flatMap((region) => region.listed_types)),
    // Each region has read the same of the same feeds.
    transit: service_date === null ? null : { service_date, feeds: regions[0].feeds },
  };
}

/** Every destination and census place once. Regions that share one have read the same of it. */
async function joinGathered(store: Store, regions: readonly RegionReceipt[]): Promise<Gathered> {
  const destinations = new Map<DestId, DestinationFacts>();
  const places = new Map<string, CensusPlace>();
  for (const region of regions) {
    const gathered = await readGathered(store, region.gathered);
    for (const destination of gathered.destinations) {
      const known = destinations.get(destination.destId);
      if (known === undefined) destinations.set(destination.destId, destination);
      else if (!isSame(known, destination)) {
        throw new BuildError(
          `${known.source} (${known.name}) and ${destination.source} (${destination.name}) both have dest_id ${destination.destId}, in two regions; change the id of one of them`,
        );
      }
    }
    for (const place of gathered.censusPlaces) places.set(place.geoid, place);
  }
  return {
    destinations: [...destinations.values()].sort((a, b) => a.destId - b.destId),
    censusPlaces: [...places.values()].sort((a, b) => (a.geoid < b.geoid ? -1 : 1)),
  };
}

/** Whether two regions mean one place by a `dest_id`: two lists may have an id each for another. */
function isSame(a: DestinationFacts, b: DestinationFacts): boolean {
  if (a.source !== b.source) return false;
  return !isListed(a) || (a.name === b.name && a.lon === b.lon && a.lat === b.lat);
}
