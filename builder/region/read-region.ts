import { boxAroundBoth, boxOf, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, CountyFips, DestTypeId, Metres } from '../../shards/units.ts';
import type { BuildRequest } from '../build-request.ts';
import { type CensusBlock, countiesIn, readBlocks } from '../census/blocks.ts';
import { checkDestIds } from '../destinations/check-dest-ids.ts';
import type { Destination } from '../destinations/destination.ts';
import { readPoiFiles } from '../destinations/from-files.ts';
import { mergeSources } from '../destinations/merge-sources.ts';
import { extractOsm } from '../extract/extract-osm.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import { buildModeNetwork, type ModeNetwork } from '../streets/mode-network.ts';
import { buildNetwork, type StreetNetwork } from '../streets/network.ts';
import { frequentStops } from '../transit/frequent-stops.ts';
import { readTransit, type Transit } from '../transit/read-transit.ts';
import { StopReach } from '../transit/stop-reach.ts';

/** Everything a build reads, before it is linked: the counties and the streets around them. */
export interface Region {
  /** By county, ascending; each ascending by GEOID. */
  readonly counties: ReadonlyMap<CountyFips, readonly CensusBlock[]>;
  /** Ascending by `destId`. */
  readonly destinations: readonly Destination[];
  /** Types that places of files beside OSM's have. */
  readonly listedTypes: ReadonlySet<DestTypeId>;
  readonly streets: StreetNetwork;
  readonly walk: ModeNetwork;
  readonly bike: ModeNetwork;
  readonly transit: Transit | null;
  /** Where the street data claims to be complete; null when it does not say. */
  readonly coverage: BoundingBox | null;
  /** When the newest street was edited, or the files were cut. */
  readonly streetsAsOfMs: number;
}

const SECOND = 1000;

/** As far as a straight ride of so long goes, and the link to the street at its beginning. */
export function rideMetres(minutes: number): Metres {
  const seconds = (minutes * MILLIS_PER_MINUTE) / SECOND;
  return ROUTING.bikeMetresPerSecond * seconds + ROUTING.linkRadii[1];
}

/** Reads all inputs. Bad input is a `BuildError` that names file and record. */
export async function readRegion(request: BuildRequest, progress: Progress): Promise<Region> {
  const counties = await readCountyBlocks(request, progress);
  const transit =
    request.gtfs && request.gtfs.length > 0
      ? await readTransit(request.gtfs, asServiceDate(request.serviceDate), progress)
      : null;
  const area = areaOf(boxAround([...counties.values()].flat()), transit);
  const extract = await extractOsm(request.osm, area, progress);
  const listed =
    request.pois && request.pois.length > 0 ? await readPoiFiles(request.pois, area, progress) : [];
  const destinations = [
    ...mergeSources(extract.destinations, listed),
    ...(transit ? frequentStops(transit) : []),
  ].sort((a, b) => a.destId - b.destId);
  checkDestIds(destinations);

  const stage = progress.start('network', 2, 'modes');
  const streets = buildNetwork(extract.streets, extract.nodes);
  const walk = buildModeNetwork(streets, 'walk', extract.coverage);
  stage.at(1);
  const bike = buildModeNetwork(streets, 'bike', extract.coverage);
  stage.finish(
    `${streets.edgeCount} street edges; ${[walk, bike].map((n) => `${n.mode}: ${n.graph.vertexCount} vertices, ${n.islandVertices} cut off on islands`).join('; ')}`,
  );
  return {
    counties,
    destinations,
    listedTypes: new Set(listed.flatMap(({ types }) => types)),
    streets,
    walk,
    bike,
    transit,
    coverage: extract.coverage,
    streetsAsOfMs: extract.newestMs,
  };
}

/** The counties, and around them as far as anything within reach of them can be. */
function areaOf(counties: BoundingBox, transit: Transit | null): BoundingBox {
  const byStreet = bufferBox(counties, rideMetres(ROUTING.maxReachMinutes));
  if (!transit) return byStreet;
  const reach = new StopReach(transit, ROUTING.maxReachMinutes * MILLIS_PER_MINUTE);
  // Where counties lie in several zones, each has a window of its own.
  const windows = new Set(transit.stops.map((stop) => stop.windowStart));
  return [...windows]
    .flatMap((opens) => reach.boxesAround(reach.stopsFrom(counties, opens)))
    .reduce(boxAroundBoth, byStreet);
}

function asServiceDate(date: string | undefined): string | null {
  return date === undefined ? null : date.replaceAll('-', '');
}

async function readCountyBlocks(request: BuildRequest, progress: Progress) {
  const counties =
    request.counties.length > 0
      ? [...new Set(request.counties)].sort()
      : await countiesIn(request.blocks);
  const stage = progress.start('blocks', null, 'records');
  const blocks = await readBlocks(request.blocks, counties, (records) => stage.at(records));
  const kept = [...blocks.values()].reduce((sum, list) => sum + list.length, 0);
  stage.finish(`${kept} blocks of ${counties.join(', ')}`);
  return blocks;
}

/** The box around the blocks' centres. */
export function boxAround(blocks: readonly CensusBlock[]): BoundingBox {
  return boxOf(blocks.map(({ lon, lat }) => [lon, lat]));
}
