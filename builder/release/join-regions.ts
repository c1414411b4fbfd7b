import type { Manifest } from '../../shards/manifest.ts';
import type { Mode } from '../../shards/modes.ts';
import type { Store } from '../../shards/store/store.ts';
import type { CountyFips, DestId } from '../../shards/units.ts';
import type { CensusPlace } from '../census/census-places.ts';
import type { DestinationFacts } from '../destinations/destination.ts';
import { BuildError } from '../errors.ts';
import { type Gathered, readGathered } from '../receipts/gathered.ts';
import type { RegionCounty, RegionReceipt } from '../receipts/region-receipt.ts';
import type { ReleaseSources } from './components.ts';

/** What regions hold together. */
export interface JoinedRegions extends Gathered {
  readonly modes: readonly Mode[];
  readonly taxonomy: Manifest['taxonomy'];
  readonly sources: ReleaseSources;
  /** Ascending. */
  readonly counties: ReadonlyMap<CountyFips, RegionCounty>;
}

/**
 * Puts the receipts of regions together; their order does not matter. Throws a `BuildError` where
 * they are not of one release: other modes, types or service days, or a county that two of them
 * have.
 */
export async function joinRegions(
  store: Store,
  receipts: readonly RegionReceipt[],
): Promise<JoinedRegions> {
  const regions = [...receipts].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const [first, ...others] = regions;
  if (!first) throw new BuildError('a release is joined of at least one region');
  for (const other of others) {
    requireSame(first, other, 'modes', ({ modes }) => modes, 'name the release’s to each');
    requireSame(first, other, 'types', ({ taxonomy }) => taxonomy, 'give each the same --pois');
  }
  const counties = new Map<CountyFips, RegionCounty>();
  for (const region of regions) {
    for (const [county, built] of Object.entries(region.counties)) {
      if (counties.has(county)) throw new BuildError(`county ${county} is in two of the regions`);
      counties.set(county, built);
    }
  }
  return {
    modes: first.modes,
    taxonomy: first.taxonomy,
    sources: joinSources(regions),
    counties: new Map([...counties].sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(await joinGathered(store, regions)),
  };
}

function nameOf({ counties }: RegionReceipt): string {
  return Object.keys(counties).sort()[0];
}

function requireSame(
  a: RegionReceipt,
  b: RegionReceipt,
  what: string,
  of: (region: RegionReceipt) => unknown,
  advice: string,
): void {
  if (JSON.stringify(of(a)) === JSON.stringify(of(b))) return;
  throw new BuildError(
    `the regions of ${nameOf(a)} and ${nameOf(b)} were built with other ${what} each; ${advice}`,
  );
}

function joinSources(regions: readonly RegionReceipt[]): ReleaseSources {
  const distinct = (of: (region: RegionReceipt) => readonly string[]) => [
    ...new Set(regions.flatMap(of)),
  ];
  return {
    files: {
      osm: distinct(({ sources }) => sources.osm),
      blocks: distinct(({ sources }) => sources.blocks),
      listed: distinct(({ sources }) => sources.listed),
    },
    streetsAsOfMs: Math.max(...regions.map((region) => region.streets_as_of_ms)),
    listedTypes: new Set(regions.flatMap((region) => region.listed_types)),
    transit: joinTransit(regions),
  };
}

/** Every feed once, in the order of the regions. */
function joinTransit(regions: readonly RegionReceipt[]): RegionReceipt['transit'] {
  const served = regions.filter(({ transit }) => transit !== null);
  const [first, ...others] = served;
  if (!first?.transit) {
    if (!regions[0].modes.includes('transit')) return null;
    throw new BuildError('transit is a mode of the regions, but none has a feed; give --gtfs');
  }
  const day = (region: RegionReceipt) => region.transit?.service_date;
  for (const other of others) {
    requireSame(first, other, 'service days', day, 'name one with --service-date');
  }
  const feeds = new Map(served.flatMap(({ transit }) => transit!.feeds.map((f) => [f.sha256, f])));
  return { service_date: first.transit.service_date, feeds: [...feeds.values()] };
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
      else if (known.source !== destination.source) {
        throw new BuildError(
          `${known.source} and ${destination.source} both have dest_id ${destination.destId}, in two regions; change the id of one of them`,
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
