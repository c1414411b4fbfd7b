import { boxAroundBoth, boxContains, boxOf, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, CountyFips, DestTypeId, Metres } from '../../shards/units.ts';
import type { RegionRequest } from '../build-request.ts';
import { type BlockPoint, type BlocksRead, readBlocks } from '../census/blocks.ts';
import { checkDestIds } from '../destinations/check-dest-ids.ts';
import type { Destination } from '../destinations/destination.ts';
import { readPoiFiles } from '../destinations/from-files.ts';
import { mergeSources } from '../destinations/merge-sources.ts';
import { BuildError } from '../errors.ts';
import { extractOsm } from '../extract/extract-osm.ts';
import type { Progress } from '../progress.ts';
import { MILLIS_PER_MINUTE, ROUTING } from '../routing-parameters.ts';
import { buildModeNetwork, type ModeNetwork } from '../streets/mode-network.ts';
import { buildNetwork, type StreetNetwork } from '../streets/network.ts';
import { frequentStops } from '../transit/frequent-stops.ts';
import { readTransit, type Transit, WITHOUT_STOPS } from '../transit/read-transit.ts';
import { StopReach } from '../transit/stop-reach.ts';

/** Everything read for some counties, before it is linked: they, and what lies around them. */
export interface Region {
  /** The blocks to begin at, by county, ascending; each ascending by GEOID. */
  readonly counties: BlocksRead['counties'];
  /** The blocks one may go to, in the same way: those, and such as lie around their counties. */
  readonly targets: ReadonlyMap<CountyFips, readonly BlockPoint[]>;
  /** Ascending by `destId`. */
  readonly destinations: readonly Destination[];
  /** Types that the files beside OSM's list. */
  readonly listedTypes: ReadonlySet<DestTypeId>;
  readonly streets: StreetNetwork;
  readonly walk: ModeNetwork;
  readonly bike: ModeNetwork;
  /** Null in a release without; without a feed of its own, a region of another has no stops. */
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
export async function readRegion(request: RegionRequest, progress: Progress): Promise<Region> {
  const { counties, others } = await readCountyBlocks(request, progress);
  const transit = await transitOf(request, progress);
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
    targets: targetsWithin(area, counties, others),
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

async function transitOf(request: RegionRequest, progress: Progress): Promise<Transit | null> {
  const feeds = request.gtfs ?? [];
  if (request.modes && !request.modes.includes('transit')) {
    if (feeds.length === 0) return null;
    throw new BuildError(
      `${feeds[0]}: is a feed, and the modes of the release are without transit`,
    );
  }
  if (feeds.length > 0) return readTransit(feeds, asServiceDate(request.serviceDate), progress);
  return request.modes ? WITHOUT_STOPS : null;
}

function asServiceDate(date: string | undefined): string | null {
  return date === undefined ? null : date.replaceAll('-', '');
}

async function readCountyBlocks(request: RegionRequest, progress: Progress): Promise<BlocksRead> {
  const stage = progress.start('blocks', null, 'records');
  const read = await readBlocks(request.blocks, request.counties, (records) => stage.at(records));
  const own = [...read.counties.values()].reduce((sum, list) => sum + list.length, 0);
  stage.finish(`${own} blocks of ${[...read.counties.keys()].join(', ')}`);
  return read;
}

/** The counties of a region and all others that come into its area, ascending. */
function targetsWithin(
  area: BoundingBox,
  counties: BlocksRead['counties'],
  others: BlocksRead['others'],
): Map<CountyFips, readonly BlockPoint[]> {
  const around = [...others].filter(([, blocks]) =>
    blocks.some(({ lon, lat }) => boxContains(area, lon, lat)),
  );
  return new Map([...counties, ...around].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The box around the blocks' centres. */
export function boxAround(blocks: readonly BlockPoint[]): BoundingBox {
  return boxOf(blocks.map(({ lon, lat }) => [lon, lat]));
}
