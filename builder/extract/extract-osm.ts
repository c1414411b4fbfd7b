import type { Area, Ring } from '../../shards/geometry/polygon.ts';
import { boxAroundBoth, boxOf } from '../../shards/geometry/wgs84.ts';
import { joined } from '../../shards/joined.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { destinationsFromOsm, type PointSource } from '../destinations/from-osm.ts';
import { BuildError } from '../errors.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { NodeTable } from '../osm/node-table.ts';
import { type PbfSummary, readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';
import type { Progress } from '../progress.ts';
import { Impassable } from '../streets/impassable.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { keepLines } from './keep-lines.ts';
import { keepStreets } from './keep-streets.ts';
import { noAreas, nodePass, noLines, relationPass, wayPass } from './osm-passes.ts';
import { outlineOf } from './outline.ts';
import type { RawLines } from './raw-streets.ts';

/** What the builder takes from OpenStreetMap. */
export interface OsmExtract {
  /** Where the files claim to hold everything; null when one of them does not say. */
  readonly coverage: BoundingBox | null;
  /** The same more closely, of each file: the polygon it was cut by; null where none has one. */
  readonly outlines: readonly Area[] | null;
  /** When the newest element was edited, or the files were cut. */
  readonly newestMs: number;
  /** Where all streets were kept that the files have: past it they go on. */
  readonly streetArea: BoundingBox;
  readonly streets: StreetWays;
  readonly nodes: StreetNodes;
  readonly impassable: Impassable;
  readonly destinations: Destination[];
}

/**
 * Reads destinations within `area`, and streets within `streetArea`, which holds it, from OSM PBF
 * files, in three passes over each: relations, which say what ways they need; ways, which say what
 * nodes they need; nodes. Memory follows what is kept, not the size of the files. Files may overlap.
 */
export async function extractOsm(
  paths: readonly string[],
  area: BoundingBox,
  progress: Progress,
  streetArea = area,
): Promise<OsmExtract> {
  const bytes = await Promise.all(paths.map(sizeOf));
  const outlines = await Promise.all(paths.map(outlineOf));
  const total = 3 * bytes.reduce((sum, size) => sum + size, 0);
  const stage = progress.start('osm', Math.round(total / 1e6), 'MB');
  let before = 0;
  /** Of each file in the first pass, then in the others. */
  const summaries: PbfSummary[] = [];
  const pass = async (handlers: PbfHandlers) => {
    for (const [i, path] of paths.entries()) {
      const onBytes = (done: number) => stage.at(Math.round((before + done) / 1e6));
      summaries.push(await readPbf(path, handlers, onBytes));
      before += bytes[i];
    }
  };

  const met = noAreas();
  await pass(relationPass(met));
  const lines = noLines();
  await pass(wayPass(met, lines, paths.length > 1));
  const table = new NodeTable(allReferences([lines.streets, lines.impassable], met.memberWays));
  const points = new Map<number, PointSource>();
  await pass(nodePass(table, points, area));

  const kept = keepStreets(lines.streets, table, streetArea);
  if (kept.ways.count === 0) {
    stage.finish('no streets');
    throw new BuildError(
      `${paths.join(', ')}: no streets in the area of the blocks; does the extract cover the county?`,
    );
  }
  const destinations = destinationsFromOsm({
    points: [...points.values()],
    areas: [...met.areas.values()],
    lines: met.memberWays,
    table,
    walkableNodes: kept.walkable,
    streets: kept,
    area,
  });
  stage.finish(
    `${kept.ways.count} street ways, ${kept.nodes.count} nodes (${kept.missingNodes} missing at the edge), ${destinations.length} destinations`,
  );
  return {
    ...claimsOf(summaries.slice(0, paths.length), outlines),
    newestMs: Math.max(...summaries.map((one) => one.newestMs)),
    streetArea,
    streets: kept.ways,
    nodes: kept.nodes,
    impassable: new Impassable(keepLines(lines.impassable, table, streetArea)),
    destinations,
  };
}

/** Where files claim to hold everything: by their headers, and by the polygons they were cut by. */
function claimsOf(
  summaries: readonly PbfSummary[],
  outlines: readonly (Area | null)[],
): Pick<OsmExtract, 'coverage' | 'outlines'> {
  const boxes = summaries.map(({ box }, i) => box ?? (outlines[i] && boxAround(outlines[i])));
  return {
    coverage: boxes.reduce(union),
    outlines: outlines.some((outline) => outline !== null)
      ? outlines.map((outline, i) => outline ?? areaOfBox(boxes[i] ?? EVERYWHERE))
      : null,
  };
}

function boxAround({ polygons }: Area): BoundingBox {
  return boxOf(polygons.flat(2));
}

function areaOfBox({ minLon, minLat, maxLon, maxLat }: BoundingBox): Area {
  const ring: Ring = [
    [minLon, minLat],
    [maxLon, minLat],
    [maxLon, maxLat],
    [minLon, maxLat],
    [minLon, minLat],
  ];
  return { polygons: [[ring]] };
}

const EVERYWHERE: BoundingBox = { minLon: -180, minLat: -90, maxLon: 180, maxLat: 90 };

function union(a: BoundingBox | null, b: BoundingBox | null): BoundingBox | null {
  return a && b && boxAroundBoth(a, b);
}

function allReferences(
  kinds: readonly RawLines[],
  memberWays: ReadonlyMap<number, Float64Array | null>,
): Float64Array {
  const lines = [...memberWays.values()].filter((refs) => refs !== null);
  for (const { refs } of kinds) lines.push(refs.view());
  return joined(lines);
}
