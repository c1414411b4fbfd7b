import { ordinalIn } from '../../shards/arrays/sorted.ts';
import type { Store } from '../../shards/store/store.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { CensusPlace } from '../census/census-places.ts';
import { BuildError } from '../errors.ts';
import type { PlannedInput } from '../plan/planned-input.ts';
import type { ReleasePlan, StoredPlan } from '../plan/release-plan.ts';
import { readGathered } from '../receipts/gathered.ts';
import type { RegionCounty, RegionReceipt } from '../receipts/region-receipt.ts';
import type { ReleaseSources } from './components.ts';
import {
  clashOf,
  columnsOf,
  type KnownDestinations,
  merged,
  NO_DESTINATIONS,
  readFacts,
} from './known-destinations.ts';

/**
 * The combined contents of regions. The data that the regions gathered stays in the store; only
 * indexes of it are in memory.
 */
export interface JoinedRegions {
  readonly sources: ReleaseSources;
  /** The regions, in the order of their numbers. */
  readonly regions: readonly RegionReceipt[];
  readonly destinations: KnownDestinations;
  /** Per state with census places, ascending, the regions that list any of its places. */
  readonly states: ReadonlyMap<string, readonly RegionReceipt[]>;
  /** The counties of all regions, ascending. */
  readonly counties: ReadonlyMap<CountyFips, RegionCounty>;
}

/**
 * Combines the receipts of a plan's regions, in any order. Throws a `BuildError` for a region of
 * another plan, and unless each county of the plan is in exactly one region.
 */
export async function joinRegions(
  store: Store,
  { plan, searchPlan }: StoredPlan,
  receipts: readonly RegionReceipt[],
): Promise<JoinedRegions> {
  const regions = [...receipts].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const counties = new Map<CountyFips, RegionCounty>();
  for (const region of regions) {
    if (region.plan !== searchPlan) {
      throw new BuildError(
        `the region of ${nameOf(region)} was built from plan ${short(region.plan)}, but the release uses plan ${short(searchPlan)}; rebuild the region with that`,
      );
    }
    for (const [county, built] of Object.entries(region.counties)) {
      if (counties.has(county)) throw new BuildError(`county ${county} is in two regions`);
      counties.set(county, built);
    }
  }
  const missing = Object.keys(plan.counties).find((county) => !counties.has(county));
  if (missing !== undefined) {
    throw new BuildError(`county ${missing} of the plan is not in any region; build it first`);
  }
  return {
    sources: sourcesOf(plan, regions),
    regions,
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
  { inputs, service_date, feeds }: ReleasePlan,
  regions: readonly RegionReceipt[],
): ReleaseSources {
  const printsOf = (files: readonly PlannedInput[]) => files.map(({ sha256 }) => sha256);
  return {
    files: {
      osm: printsOf(inputs.osm),
      blocks: printsOf([...inputs.blocks, ...inputs.population]),
      listed: printsOf(inputs.pois),
      ...(inputs.elevation.length > 0 && { elevation: printsOf(inputs.elevation) }),
    },
    streetsAsOfMs: Math.max(...regions.map((region) => region.streets_as_of_ms)),
    listedTypes: new Set(regions.flatMap((region) => region.listed_types)),
    transit:
      service_date === null ? null : { service_date, feeds: feeds.map(({ facts }) => facts) },
  };
}

/**
 * Reads the data that regions gathered, one region after another. An item that several regions have
 * is the same in each.
 */
async function joinGathered(
  store: Store,
  regions: readonly RegionReceipt[],
): Promise<Pick<JoinedRegions, 'destinations' | 'states'>> {
  let destinations = NO_DESTINATIONS;
  const states = new Map<string, Set<RegionReceipt>>();
  for (const [number, region] of regions.entries()) {
    const gathered = await readGathered(store, region.gathered);
    const { all, clash } = merged(destinations, columnsOf(gathered.destinations, number));
    if (clash !== null) {
      const ordinal = Uint32Array.of(ordinalIn(destinations.destIds, clash));
      const [known] = await readFacts(store, regions, destinations, ordinal);
      throw clashOf(clash, known, gathered.destinations.find(({ destId }) => destId === clash)!);
    }
    destinations = all;
    for (const { geoid } of gathered.censusPlaces) {
      const state = stateOf(geoid);
      states.set(state, (states.get(state) ?? new Set()).add(region));
    }
  }
  return {
    destinations,
    states: new Map(
      [...states].sort(([a], [b]) => (a < b ? -1 : 1)).map(([state, of]) => [state, [...of]]),
    ),
  };
}

/** Reads the census places of a state that some regions list, ascending by GEOID. */
export async function readCensusPlacesOf(
  store: Store,
  state: string,
  regions: readonly RegionReceipt[],
): Promise<CensusPlace[]> {
  const places = new Map<string, CensusPlace>();
  for (const region of regions) {
    for (const place of (await readGathered(store, region.gathered)).censusPlaces) {
      if (stateOf(place.geoid) === state) places.set(place.geoid, place);
    }
  }
  return [...places.values()].sort((a, b) => (a.geoid < b.geoid ? -1 : 1));
}

function stateOf(geoid: string): string {
  return geoid.slice(0, 2);
}
