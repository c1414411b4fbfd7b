import { ordinalIn } from '../../shards/arrays/sorted.ts';
import { boxContains, boxesMeet, boxWithin } from '../../shards/geometry/wgs84.ts';
import { furtherWalksOf } from '../../shards/modes.ts';
import type { CountyManifest, Direction } from '../../shards/release/manifest.ts';
import type { Store } from '../../shards/store/store.ts';
import type { BoundingBox, CountyFips } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import type { PlannedInput } from '../plan/planned-input.ts';
import type { ReleasePlan, StoredPlan } from '../plan/release-plan.ts';
import { readJson } from '../publish/put-object.ts';
import type { Gathered, RegionCounty, RegionReceipt } from '../receipts/region-receipt.ts';
import { routingOf } from '../routing-parameters.ts';
import type { ReleaseSources } from './components.ts';
import {
  clashOf,
  columnsOf,
  type KnownDestinations,
  merged,
  NO_DESTINATIONS,
  readFacts,
} from './known-destinations.ts';

/** The counties of all regions, ascending. */
export type Counties = ReadonlyMap<CountyFips, RegionCounty>;

/** The combined contents of regions, whose data stays in the store. */
export interface JoinedRegions {
  readonly sources: ReleaseSources;
  /** The regions, in the order of their counties. */
  readonly regions: readonly RegionReceipt[];
  readonly counties: Counties;
}

/**
 * Combines the receipts of a plan's regions, in any order. Throws a `BuildError` for a region of
 * another plan, and unless each county of the plan is in exactly one region.
 */
export function joinRegions(
  { plan, searchPlan }: StoredPlan,
  receipts: readonly RegionReceipt[],
): JoinedRegions {
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
  { inputs, service_date, feeds, modes, routing, wheelchair_unknown }: ReleasePlan,
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
    furtherWalks: furtherWalksOf(modes),
    routing: routingOf(routing),
    listedTypes: new Set(regions.flatMap((region) => region.listed_types)),
    transit:
      service_date === null
        ? null
        : {
            service_date,
            feeds: feeds.map(({ facts }) => facts),
            wheelchairUnknown: wheelchair_unknown,
          },
  };
}

/** Everything that decides which destinations are at home in some counties. */
export interface Neighbourhood {
  /** The counties that may hold such a destination or lead to it, ascending. */
  readonly counties: Counties;
  /** The regions that may list such a destination, in their order. */
  readonly regions: readonly RegionReceipt[];
  /** All destinations that may be at home there; their region is a position in `regions`. */
  readonly destinations: KnownDestinations;
}

/**
 * Gathers everything that decides which destinations are at home in some counties: those are within
 * the counties' blocks, or in their rows. Reads regions one after another. A destination that
 * several regions list is the same in each; throws a `BuildError` if two use one id for two POIs.
 */
export async function neighbourhoodOf(
  store: Store,
  own: readonly CountyFips[],
  { regions: all, counties }: JoinedRegions,
): Promise<Neighbourhood> {
  const boxes = own.flatMap((county) => boxesOf(counties.get(county)!));
  const isNear = (county: RegionCounty) =>
    boxesOf(county).some((box) => boxes.some((one) => boxesMeet(one, box)));
  const near = new Map([...counties].filter(([, county]) => isNear(county)));
  const regions = all.filter((region) => Object.keys(region.counties).some((one) => near.has(one)));
  let destinations = NO_DESTINATIONS;
  for (const [number, { gathered }] of regions.entries()) {
    const listed = (await readJson<Gathered>(store, gathered)).destinations.filter(({ lon, lat }) =>
      boxes.some((box) => boxContains(box, lon, lat)),
    );
    const { all, clash } = merged(destinations, columnsOf(listed, number));
    if (clash !== null) {
      const ordinal = Uint32Array.of(ordinalIn(destinations.destIds, clash));
      const [known] = await readFacts(store, regions, destinations, ordinal);
      throw clashOf(clash, known, listed.find(({ destId }) => destId === clash)!);
    }
    destinations = all;
  }
  return { counties: near, regions, destinations };
}

function boxesOf({ searched, poi_box }: RegionCounty): BoundingBox[] {
  return [searched.block_box, ...(poi_box ? [poi_box] : [])].map(boxWithin);
}

/** Finds the counties that a county's rows lead to, and those whose rows lead to it. */
export function reachOf(
  counties: Counties,
  county: CountyFips,
  directions: readonly Direction[],
): CountyManifest['reach'] {
  const reaching = [...counties].filter(([, { reach }]) => reach.includes(county));
  return {
    from: [...counties.get(county)!.reach],
    to: directions.includes('to') ? reaching.map(([from]) => from) : [],
  };
}
