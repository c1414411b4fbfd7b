import type { Area } from '../../shards/geometry/polygon.ts';
import { boxContains } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Millis } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { destinationsFromOsm } from '../destinations/from-osm.ts';
import { BuildError } from '../errors.ts';
import { Impassable } from '../streets/impassable.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { keepLines } from './keep-lines.ts';
import { keepStreets } from './keep-streets.ts';
import { coverageOf, mayReach, type OsmClaims } from './osm-claims.ts';
import type { OsmElements } from './osm-elements.ts';
import { type MappedStation, mappedStations } from './osm-stations.ts';

/** What the builder takes from OpenStreetMap. */
export interface OsmExtract {
  /** Where the files claim to hold everything; null when one of them does not say. */
  readonly coverage: BoundingBox | null;
  /** The same more closely, of each file: the polygon it was cut by; null where none has one. */
  readonly outlines: readonly Area[] | null;
  /** When the newest element was edited, or the files were cut. */
  readonly newestMs: Millis;
  /** Where all streets were kept that the files have: past it they go on. */
  readonly streetArea: BoundingBox;
  readonly streets: StreetWays;
  readonly nodes: StreetNodes;
  readonly impassable: Impassable;
  readonly destinations: Destination[];
  readonly stations: readonly MappedStation[];
  /** References of the streets to nodes that no file has. */
  readonly missingNodes: number;
}

/** A file that elements were read from. */
export interface OsmFile extends OsmClaims {
  /** When its newest element was edited, if it was read, or it was cut. */
  readonly newestMs: Millis;
}

/**
 * Makes of elements that lie around it the destinations within `area`, and the streets within
 * `streetArea`, which holds it. `files`: all that there are, also such as have nothing near.
 */
export function extractOsm(
  elements: OsmElements,
  files: readonly OsmFile[],
  area: BoundingBox,
  streetArea: BoundingBox,
): OsmExtract {
  const { table } = elements;
  const kept = keepStreets(elements.streets, table, streetArea);
  if (kept.ways.count === 0) throw noStreetsIn(files.map(({ name }) => name));
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
      lines: elements.memberWays,
      table,
      walkableNodes: kept.walkable,
      streets: kept,
      area,
    }),
    stations: mappedStations(elements),
    missingNodes: kept.missingNodes,
  };
}

/** An error that says what to look at. */
export function noStreetsIn(files: readonly string[]): BuildError {
  return new BuildError(
    `${files.join(', ')}: no streets in the area of the blocks; does the extract cover the county?`,
  );
}
