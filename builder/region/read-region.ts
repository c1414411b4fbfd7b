import type { Area } from '../../shards/geometry/polygon.ts';
import { boxAroundBoth, boxContains, boxOf, bufferBox } from '../../shards/geometry/wgs84.ts';
import type { FurtherWalk } from '../../shards/modes.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import type { BoundingBox, CountyFips, DestId } from '../../shards/units.ts';
import type { BlockPoint, CensusBlock } from '../census/blocks.ts';
import { checkDestIds } from '../destinations/dest-id.ts';
import type { Destination } from '../destinations/destination.ts';
import { mergeSources } from '../destinations/merge-sources.ts';
import { poiBox, SAME_POI } from '../destinations/poi-distance.ts';
import { FINE_CELLS } from '../geo/cell-set.ts';
import type { BlockTables } from '../prepare/blocks.ts';
import type { FeedTables } from '../prepare/feeds.ts';
import { type OsmTables, streetAreaOf } from '../prepare/read-osm-cells.ts';
import type { Progress } from '../progress.ts';
import {
  fastestOf,
  ROUTING,
  type Routing,
  type RulesOfR5,
  rideMetres,
} from '../routing-parameters.ts';
import { buildNetwork } from '../streets/build-network.ts';
import type { Impassable } from '../streets/impassable.ts';
import { buildModeNetwork, type ModeNetwork } from '../streets/mode-network.ts';
import type { StreetNetwork } from '../streets/network.ts';
import { type HeightsAt, measureSlopes } from '../streets/slopes.ts';
import { frequentStops } from '../transit/frequent-stops.ts';
import type { Transit, TransitOfFeeds } from '../transit/join-feeds.ts';
import { assumeLevels } from '../transit/station-levels.ts';
import { transitAround } from './transit-around.ts';

/** Destinations of all sources, ascending by `destId`. */
interface JoinedLists {
  readonly destinations: Destination[];
  readonly ids: ReadonlySet<DestId>;
}

/**
 * Merges the destinations of OpenStreetMap within an area with those of lists. Each region decides
 * here which listed POIs are the same as one of OpenStreetMap's, and all regions that reach a POI
 * must agree. They do, since the decision depends on what is within 100 m of the POI, and a region
 * reads more than 100 m beyond all that it can reach. Outlines may extend beyond the area read, so
 * lists are read as far as the outlines extend.
 */
export async function joinLists(
  osm: readonly Destination[],
  listedWithin: RegionInputs['poisWithin'],
  area: BoundingBox,
): Promise<JoinedLists> {
  const outlined = osm.filter(({ outline }) => outline).map(poiBox);
  const around = bufferBox(outlined.reduce(boxAroundBoth, area), SAME_POI);
  const listed: Destination[] = [];
  const ids = new Set<DestId>();
  for await (const poi of listedWithin(around)) {
    listed.push(poi);
    ids.add(poi.destId);
  }
  const merged = mergeSources(osm, listed);
  const destinations = merged.filter(
    ({ destId, lon, lat }) => !ids.has(destId) || boxContains(area, lon, lat),
  );
  return { destinations, ids };
}

/** Riders who walk to transit in one way, and the trips that could be ridden from the counties. */
interface Riders {
  readonly walk: 'walk' | 'step_free';
  /** By window of departures. */
  readonly windows: readonly Transit[];
}

/** Everything read for some counties and their surroundings, before linking. */
export interface Region {
  /** The origin blocks by county, ascending; the blocks of a county ascend by GEOID. */
  readonly counties: ReadonlyMap<CountyFips, readonly CensusBlock[]>;
  /**
   * The target blocks, in the form of `counties`: the origin blocks, and those of surrounding
   * counties.
   */
  readonly targets: ReadonlyMap<CountyFips, readonly BlockPoint[]>;
  /** The destinations, ascending by `destId`. */
  readonly destinations: readonly Destination[];
  /** The ids of POIs that were read from files other than OSM's. */
  readonly listed: ReadonlySet<DestId>;
  readonly streets: StreetNetwork;
  /** The streets of each street mode: on foot, by bike, then of further ones. */
  readonly networks: readonly ModeNetwork[];
  /** All, and, if asked for, those without steps, at the same stops; empty without transit. */
  readonly riders: readonly Riders[];
  /** The box in which the street data claims to be complete; null if not stated. */
  readonly coverage: BoundingBox | null;
  /** The polygons that the files were cut by, where known. */
  readonly outlines: readonly Area[] | null;
  /** Barriers that a straight line from a POI to its street must not cross. */
  readonly impassable: Impassable;
  readonly routing: Routing;
  readonly rulesOfR5: RulesOfR5;
  /** When the newest street was edited, or the files were cut, in Unix milliseconds. */
  readonly streetsAsOfMs: number;
}

/** Returns the maximum speed in a region as a multiple of the speed on level ground. */
export function fastestIn({ streets }: Pick<Region, 'streets'>): number {
  return fastestOf(streets.slopes !== undefined);
}

export interface RegionInputs {
  readonly osm: OsmTables;
  readonly blocks: BlockTables;
  readonly poisWithin: (area: BoundingBox) => AsyncIterable<Destination>;
  /** Null if all streets are level. */
  readonly heightsAt: HeightsAt | null;
  /** The feeds of each window of departures; empty without transit. */
  readonly windows: readonly FeedTables[];
  /** The origin counties, ascending. */
  readonly counties: readonly CountyFips[];
  readonly rulesOfR5: RulesOfR5;
  /** The street modes besides walking and cycling; none by default. */
  readonly further?: readonly FurtherWalk[];
  /** The usual parameters by default. */
  readonly routing?: Routing;
}

/** Reads all inputs. Bad input throws a `BuildError` that names file and record. */
export async function readRegion(request: RegionInputs, progress: Progress): Promise<Region> {
  const counties = await readCountyBlocks(request, progress);
  const { heightsAt, rulesOfR5, further: furtherModes = [], routing = ROUTING } = request;
  const fastest = fastestOf(heightsAt !== null);
  const own = boxAround([...counties.values()].flat());
  const byStreet = bufferBox(own, rideMetres(routing.maxReachMinutes, fastest, routing));
  const { windows } = request;
  const around =
    windows.length > 0
      ? await transitAround(own, byStreet, windows, fastest, progress, routing)
      : null;
  // Scopes of counties consist of cells, none of which may extend beyond what is read.
  const area = FINE_CELLS.boxAround(around?.area ?? byStreet);
  const extract = await request.osm.extract(area, streetAreaOf(area), progress);
  const withLevels = (transit: TransitOfFeeds) =>
    assumeLevels(transit, extract.stations, rulesOfR5);
  const riders = (around?.riders ?? []).map(
    (windows, i): Riders => ({
      walk: i === 0 ? 'walk' : 'step_free',
      windows: windows.map(withLevels),
    }),
  );
  const joined = await joinLists(extract.destinations, request.poisWithin, area);
  const destinations = [
    ...joined.destinations,
    ...riders.slice(0, 1).flatMap(({ windows: [base] }) => frequentStops(base)),
  ].sort((a, b) => a.destId - b.destId);
  checkDestIds(destinations);

  const stage = progress.start('network', 2 + furtherModes.length, 'modes');
  const sloped = async (isStepFree: boolean) => {
    const level = buildNetwork(extract.streets, extract.nodes, rulesOfR5, isStepFree);
    return heightsAt === null ? level : withSlopes(level, heightsAt, progress);
  };
  const streets = await sloped(false);
  const networks: ModeNetwork[] = [];
  for (const mode of ['walk', 'bike', ...furtherModes] as const) {
    stage.at(networks.length);
    const own = mode === 'step_free' ? await sloped(true) : streets;
    networks.push(buildModeNetwork(own, mode, extract, rulesOfR5, routing));
  }
  stage.finish(
    `${counted(streets.edgeCount, 'street edge')}; ${networks.map((n) => `${n.mode}: ${counted(n.graph.vertexCount, 'vertex', 'vertices')}, ${withCommas(n.islandVertices)} on disconnected islands`).join('; ')}`,
  );
  return {
    counties,
    targets: await targetsWithin(area, counties, request.blocks),
    destinations,
    listed: joined.ids,
    streets,
    networks,
    riders,
    coverage: extract.coverage,
    outlines: extract.outlines,
    impassable: extract.impassable,
    routing,
    rulesOfR5,
    streetsAsOfMs: extract.newestMs,
  };
}

async function withSlopes(
  streets: StreetNetwork,
  heightsAt: HeightsAt,
  progress: Progress,
): Promise<StreetNetwork> {
  const stage = progress.start('elevation', null, 'cells');
  const { slopes, known } = await measureSlopes(streets, heightsAt);
  stage.finish(
    `elevation for ${(100 * known).toFixed(1)} % of the streets; the others are treated as level`,
  );
  return { ...streets, slopes };
}

async function readCountyBlocks(
  { counties, blocks: tables }: RegionInputs,
  progress: Progress,
): Promise<Region['counties']> {
  const stage = progress.start('blocks', counties.length, 'counties');
  const read = new Map<CountyFips, readonly CensusBlock[]>();
  let blocks = 0;
  for (const county of counties) {
    const own = await tables.blocks(county);
    read.set(county, own);
    blocks += own.length;
    stage.at(read.size);
  }
  stage.finish(`${counted(blocks, 'block')} in ${counties.join(', ')}`);
  return read;
}

/**
 * Returns the blocks of a region's counties, and of all others that extend into its area, by
 * county, ascending.
 */
async function targetsWithin(
  area: BoundingBox,
  counties: Region['counties'],
  tables: BlockTables,
): Promise<Region['targets']> {
  const targets = new Map<CountyFips, readonly BlockPoint[]>(counties);
  for (const county of tables.countiesNear(area)) {
    if (counties.has(county)) continue;
    const points = await tables.points(county);
    if (points.some(({ lon, lat }) => boxContains(area, lon, lat))) targets.set(county, points);
  }
  return new Map([...targets].sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function boxAround(blocks: readonly BlockPoint[]): BoundingBox {
  return boxOf(blocks.map(({ lon, lat }) => [lon, lat]));
}
