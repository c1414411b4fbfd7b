import { joined } from '../../shards/joined.ts';
import type { BoundingBox, Millis } from '../../shards/units.ts';
import type { PointSource } from '../destinations/from-osm.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { NodeTable } from '../osm/node-table.ts';
import { readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';
import type { StageProgress } from '../progress.ts';
import type { OsmElements } from './osm-elements.ts';
import { noAreas, nodePass, relationPass, wayPass } from './osm-passes.ts';
import { noLines, noStreets, type RawLines } from './raw-streets.ts';

export interface GatheredOsm extends OsmElements {
  /** When the newest element of each file was edited, or the file was cut. */
  readonly newestMs: ReadonlyMap<string, Millis>;
}

/** How many bytes of files are read to gather what is in them. */
export async function bytesToGather(paths: readonly string[]): Promise<number> {
  const bytes = await Promise.all(paths.map(sizeOf));
  return 3 * bytes.reduce((sum, size) => sum + size, 0);
}

/**
 * Reads what streets and destinations within `area` are made of from OSM PBF files, and more, in three
 * passes over each: relations, which say what ways they need; ways, which say what nodes they need;
 * nodes. Files may overlap. `stage` is told of MB.
 */
export async function gatherOsm(
  paths: readonly string[],
  area: BoundingBox,
  stage: Pick<StageProgress, 'at'>,
): Promise<GatheredOsm> {
  let before = 0;
  const newestMs = new Map<string, Millis>();
  const pass = async (handlers: PbfHandlers) => {
    for (const path of paths) {
      const onBytes = (done: number) => stage.at(Math.round((before + done) / 1e6));
      const seen = await readPbf(path, handlers, onBytes);
      newestMs.set(path, Math.max(newestMs.get(path) ?? 0, seen.newestMs));
      before += await sizeOf(path);
    }
  };

  const met = noAreas();
  await pass(relationPass(met));
  const lines = { streets: noStreets(), impassable: noLines() };
  await pass(wayPass(met, lines, paths.length > 1));
  const table = new NodeTable(allReferences([lines.streets, lines.impassable], met.memberWays));
  const points = new Map<number, PointSource>();
  await pass(nodePass(table, points, area));
  return {
    ...lines,
    ...{ areas: [...met.areas.values()], memberWays: met.memberWays },
    ...{ points: [...points.values()], table, newestMs },
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
