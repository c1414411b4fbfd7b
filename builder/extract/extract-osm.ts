import type { Area } from '../../shards/geometry/polygon.ts';
import { joined } from '../../shards/joined.ts';
import type { BoundingBox } from '../../shards/units.ts';
import type { Destination } from '../destinations/destination.ts';
import { destinationsFromOsm, type PointSource } from '../destinations/from-osm.ts';
import { BuildError } from '../errors.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { NodeTable } from '../osm/node-table.ts';
import { readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';
import type { Progress } from '../progress.ts';
import { Impassable } from '../streets/impassable.ts';
import type { StreetNodes, StreetWays } from '../streets/street-ways.ts';
import { keepLines } from './keep-lines.ts';
import { keepStreets } from './keep-streets.ts';
import { claimsOf, coverageOf, mayReach } from './osm-claims.ts';
import { noAreas, nodePass, noLines, relationPass, wayPass } from './osm-passes.ts';
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
 * nodes they need; nodes. Memory follows what is kept, not the size of the files. Files may overlap;
 * of one that claims to cover nothing near, no more is read.
 */
export async function extractOsm(
  paths: readonly string[],
  area: BoundingBox,
  progress: Progress,
  streetArea = area,
): Promise<OsmExtract> {
  const files = await Promise.all(paths.map(claimsOf));
  const near = files.filter((file) => mayReach(file, streetArea));
  const bytes = await Promise.all(near.map(({ path }) => sizeOf(path)));
  const total = 3 * bytes.reduce((sum, size) => sum + size, 0);
  const stage = progress.start('osm', Math.round(total / 1e6), 'MB');
  let before = 0;
  let newestMs = Math.max(...files.map(({ cutMs }) => cutMs));
  const pass = async (handlers: PbfHandlers) => {
    for (const [i, { path }] of near.entries()) {
      const onBytes = (done: number) => stage.at(Math.round((before + done) / 1e6));
      newestMs = Math.max(newestMs, (await readPbf(path, handlers, onBytes)).newestMs);
      before += bytes[i];
    }
  };

  const met = noAreas();
  await pass(relationPass(met));
  const lines = noLines();
  await pass(wayPass(met, lines, near.length > 1));
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
    ...coverageOf(files),
    newestMs,
    streetArea,
    streets: kept.ways,
    nodes: kept.nodes,
    impassable: new Impassable(keepLines(lines.impassable, table, streetArea)),
    destinations,
  };
}

function allReferences(
  kinds: readonly RawLines[],
  memberWays: ReadonlyMap<number, Float64Array | null>,
): Float64Array {
  const lines = [...memberWays.values()].filter((refs) => refs !== null);
  for (const { refs } of kinds) lines.push(refs.view());
  return joined(lines);
}
