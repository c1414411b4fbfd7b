import { counted } from '../../shards/number-words.ts';
import type { Bytes } from '../../shards/units.ts';
import { type ExtractCoverage, mayReach } from '../extract/extract-coverage.ts';
import { readPass } from '../extract/pbf-pass.ts';
import type { MapCells } from '../geo/map-cells.ts';
import type { Progress, StageProgress } from '../progress.ts';

export interface OsmPath {
  readonly path: string;
  readonly claims: ExtractCoverage;
  readonly bytes: Bytes;
}

/** Cells that are read together. */
export interface CellBatch {
  readonly cells: MapCells;
  /** The part of the files in them and in those around them, which is held with them. */
  readonly bytes: Bytes;
}

/** All cells, divided into batches. */
export interface OsmBatches {
  readonly batches: readonly CellBatch[];
  /** Whether the files exceed memory, so that only the part of each that a batch needs is held. */
  readonly isPart: boolean;
}

/**
 * Divides cells into batches whose part of the files fits into memory: up to `most` bytes, unless a
 * single cell and those around it have more. If the files are larger, a pass over them finds how
 * their data is distributed; empty cells with empty surroundings are left out.
 */
export async function cutBatches(
  cells: MapCells,
  files: readonly OsmPath[],
  most: Bytes,
  progress: Progress,
): Promise<OsmBatches> {
  const near = files.filter(({ claims }) => mayReach(claims, cells.box));
  const bytes = bytesOf(near);
  if (bytes <= most) return { batches: [{ cells, bytes }], isPart: false };
  const stage = progress.start('osm by cells', megabytes(bytes), 'MB');
  const read = countedMegabytes(stage);
  const byCell: Map<number, Bytes>[] = [];
  for (const file of near) byCell.push(await bytesByCell(file, cells.grown(), read));
  const batches = [...cut(cells, byCell, most)];
  stage.finish(`${counted(batches.length, 'batch', 'batches')} of cells to read`);
  return { batches, isPart: true };
}

/** The share of a file in each non-empty cell, estimated from its nodes. */
async function bytesByCell(
  { path, bytes }: OsmPath,
  cells: MapCells,
  read: (bytes: Bytes) => void,
): Promise<Map<number, Bytes>> {
  const nodes = new Map<number, number>();
  let all = 0;
  const node = (_id: number, lon: number, lat: number) => {
    all++;
    const cell = cells.at(lon, lat);
    if (cell !== -1) nodes.set(cell, (nodes.get(cell) ?? 0) + 1);
  };
  await readPass(path, { node }, read);
  return new Map(Array.from(nodes, ([cell, count]) => [cell, (bytes * count) / all]));
}

function* cut(
  cells: MapCells,
  files: readonly ReadonlyMap<number, Bytes>[],
  most: Bytes,
): Generator<CellBatch> {
  // Adjacent cells are read too: their elements may reach into these.
  const held = bytesIn(cells.grown(), files);
  if (held === 0) return;
  const halves = held > most ? cells.halves() : [];
  if (halves.length === 0) yield { cells, bytes: held };
  else for (const half of halves) yield* cut(half, files, most);
}

function bytesIn(cells: MapCells, files: readonly ReadonlyMap<number, Bytes>[]): Bytes {
  let sum = 0;
  for (const file of files) for (const [cell, bytes] of file) if (cells.has(cell)) sum += bytes;
  return sum;
}

export function bytesOf(files: readonly OsmPath[]): Bytes {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function megabytes(bytes: Bytes): number {
  return Math.round(bytes / 1e6);
}

/** A callback for bytes read that advances a stage counted in megabytes. */
export function countedMegabytes(stage: StageProgress): (bytes: Bytes) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    stage.at(megabytes(done));
  };
}
