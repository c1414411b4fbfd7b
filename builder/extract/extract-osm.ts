import { GrowableArray } from '../../shards/arrays/growable-array.ts';
import type { Area } from '../../shards/geometry/polygon.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, EpochMillis } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { destinationsFromOsm } from '../destinations/from-osm.ts';
import { BuildError } from '../errors.ts';
import type { NodeTable } from '../osm/node-table.ts';
import { Impassable, type Lines } from '../streets/impassable.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { coverageOf, type ExtractCoverage, mayReach } from './extract-coverage.ts';
import { keepStreets, type MissingNodes } from './keep-streets.ts';
import type { OsmElements } from './osm-elements.ts';
import { type MappedStation, mappedStations } from './osm-stations.ts';
import { comesInto, cutAtMissing, type RawWays, refsOf } from './raw-ways.ts';

/** The lines that enter an area, with coordinates. A line is split where nodes are missing. */
function keepLines(raw: RawWays, table: NodeTable, area: BoundingBox): Lines {
  const lon = new GrowableArray(Float64Array);
  const lat = new GrowableArray(Float64Array);
  const firstPoint: number[] = [0];
  for (let way = 0; way < raw.osmId.length; way++) {
    const cut = cutAtMissing(refsOf(raw, way), table);
    if (!comesInto(area, cut, table)) continue;
    for (const piece of cut.pieces) {
      for (const ordinal of piece) {
        lon.push(table.lon[ordinal]);
        lat.push(table.lat[ordinal]);
      }
      firstPoint.push(lon.length);
    }
  }
  return {
    count: firstPoint.length - 1,
    firstPoint: Uint32Array.from(firstPoint),
    lon: lon.view().slice(),
    lat: lat.view().slice(),
  };
}

export interface OsmExtract {
  /** The box in which the files claim to be complete; null if one of them does not state it. */
  readonly coverage: BoundingBox | null;
  /**
   * The exact area of each file, which is the polygon it was cut by; null if no file has a polygon.
   */
  readonly outlines: readonly Area[] | null;
  /** When the newest element was edited, or the files were cut. */
  readonly newestMs: EpochMillis;
  /**
   * The area in which all streets of the files were kept. Streets that leave the area are kept
   * whole.
   */
  readonly streetArea: BoundingBox;
  readonly streets: StreetWays;
  readonly nodes: StreetNodes;
  readonly impassable: Impassable;
  readonly destinations: Destination[];
  readonly stations: readonly MappedStation[];
  readonly missing: MissingNodes;
}

export interface OsmFile extends ExtractCoverage {
  /** When the file's newest element was edited, if the file was read; otherwise when it was cut. */
  readonly newestMs: EpochMillis;
}

/**
 * Turns elements into the destinations within `area` and the streets within `streetArea`, which
 * contains it. `files` are all files, including those with nothing nearby.
 */
export function extractOsm(
  elements: OsmElements,
  files: readonly OsmFile[],
  area: BoundingBox,
  streetArea: BoundingBox,
): OsmExtract {
  const { table } = elements;
  const kept = keepStreets(elements.streets, table, streetArea);
  const names = files.map(({ name }) => name);
  if (kept.ways.count === 0) throw noStreetsIn(streetArea, names);
  const near = files.filter((file) => mayReach(file, streetArea));
  return {
    ...coverageOf(files),
    newestMs: Math.max(...files.map(({ cutMs }) => cutMs), ...near.map(({ newestMs }) => newestMs)),
    streetArea,
    streets: kept.ways,
    nodes: kept.nodes,
    impassable: new Impassable(keepLines(elements.impassable, table, streetArea)),
    destinations: destinationsFromOsm({
      points: elements.points.filter(({ lon, lat }) => boxContains(area, lon, lat)),
      areas: elements.areas,
      memberWays: elements.memberWays,
      table,
      walkableNodes: kept.walkable,
      streets: kept,
      area,
    }),
    stations: mappedStations(elements),
    missing: kept.missing,
  };
}

export function noStreetsIn(
  { minLat, minLon, maxLat, maxLon }: BoundingBox,
  files: readonly string[],
): BuildError {
  const [south, west, north, east] = [minLat, minLon, maxLat, maxLon].map((one) => one.toFixed(2));
  return new BuildError(
    `${files.join(', ')}: no streets in the area of the blocks, from ${south},${west} to ${north},${east}; give --osm an extract that covers it, such as tta fetch downloads for the county`,
  );
}
