import { geoidFromNumber } from '../../shards/geoid.ts';
import type { Matrix } from '../../shards/matrix/matrix.ts';
import { MINUTES, TENTHS, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import { byMode } from '../../shards/modes.ts';
import { type Dictionary, NULL_INDEX, type RowGroup } from '../../shards/parquet/table.ts';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import type { CountyTable, Reading } from './export-table.ts';
import { RowGroups } from './row-groups.ts';
import { serviceColumns, withServices } from './service-columns.ts';

const ORIGIN = {
  name: 'geoid',
  type: 'string',
  description: 'Census block that the trip starts from, 15 digits.',
} as const;
const POI_MINUTES = {
  name: 'minutes',
  type: 'double',
  description: 'Travel time in minutes, in steps of 0.1, up to 30.',
} as const;

export const nearestTable: CountyTable = {
  name: 'nearest',
  description: 'Minutes to the nearest POI of each type; no row: not within 30 minutes.',
  columns: (release) => [
    ORIGIN,
    ...serviceColumns(release),
    { name: 'dest_type_id', type: 'int32', description: 'Destination type, a leaf of `types`.' },
    { name: 'dest_type', type: 'string', description: 'Its label.' },
    POI_MINUTES,
  ],
  objectsOf: ({ manifest: { objects } }) => [objects.nearest],
  async *rows({ release, done }, county) {
    const { modes } = release.manifest;
    const leaves = release.taxonomy.leafIds;
    const labels = labelsOf(release);
    const index = await release.index(county.manifest);
    const groups = new RowGroups([
      Array.from(index.geoids, geoidFromNumber),
      modes,
      leaves,
      labels,
      timesOf(TENTHS),
    ]);
    const finished = withServices(release, 1);
    const [origins, modeOf, typeIds, types, times] = groups.columns;
    for await (const { ordinal, cells } of nearestCells(release, county)) {
      if (groups.isTooFullFor(cells.length)) yield finished(groups.take());
      let row = groups.rows;
      for (let c = 0; c < cells.length; c++) {
        if (cells[c] === 0) continue;
        const leaf = c % leaves.length;
        origins[row] = ordinal;
        modeOf[row] = (c - leaf) / leaves.length;
        typeIds[row] = leaf;
        types[row] = leaf;
        times[row++] = cells[c] - TENTHS.least;
      }
      groups.rows = row;
      done((ordinal + 1) / index.count);
    }
    yield finished(groups.take());
  },
};

export const nearestWideTable: CountyTable = {
  name: 'nearest_wide',
  description: 'Minutes to the nearest POI of each type; null: not within 30 minutes.',
  columns: (release) => [
    ORIGIN,
    ...release.manifest.modes.flatMap((mode) =>
      labelsOf(release).map((label) => ({
        name: `${mode.replaceAll('.', '_')}_${label}`,
        type: 'double' as const,
        nullable: true,
        description: `Minutes ${byMode(mode)} to the nearest of ${label}.`,
      })),
    ),
  ],
  objectsOf: ({ manifest: { objects } }) => [objects.nearest],
  async *rows({ release, done }, county) {
    const index = await release.index(county.manifest);
    const geoids = Array.from(index.geoids, geoidFromNumber);
    const times = timesOf(TENTHS);
    const leaves = release.taxonomy.leafIds;
    const minutes = release.manifest.modes.flatMap(() => leaves.map(() => times));
    const groups = new RowGroups([geoids, ...minutes], WIDE_GROUP_ROWS);
    const [origins, ...columns] = groups.columns;
    for await (const { ordinal, cells } of nearestCells(release, county)) {
      if (groups.isFull) yield groups.take();
      const row = groups.rows++;
      origins[row] = ordinal;
      for (let c = 0; c < cells.length; c++) {
        columns[c][row] = cells[c] === 0 ? NULL_INDEX : cells[c] - TENTHS.least;
      }
      done((ordinal + 1) / index.count);
    }
    yield groups.take();
  },
};

/** Rows per group; fewer than in narrow tables, since hundreds of columns are in memory at once. */
const WIDE_GROUP_ROWS = 1 << 14;

const BLOCKS_PER_READ = 1 << 10;

async function* nearestCells(
  release: Release,
  { manifest }: ReleaseCounty,
): AsyncGenerator<{ ordinal: number; cells: Uint16Array }> {
  for (let first = 0; first < manifest.blocks; first += BLOCKS_PER_READ) {
    const length = Math.min(BLOCKS_PER_READ, manifest.blocks - first);
    const ordinals = Uint32Array.from({ length }, (_, i) => first + i);
    const rows = await release.nearestRows(manifest, ordinals);
    for (const [i, cells] of rows.entries()) yield { ordinal: first + i, cells };
  }
}

function labelsOf({ taxonomy }: Release): string[] {
  return taxonomy.leafIds.map((leaf) => taxonomy.labelOf(leaf));
}

export const poisTable: CountyTable = {
  name: 'pois',
  description: 'Minutes to every POI within 30 minutes.',
  columns: (release) => [
    ORIGIN,
    ...serviceColumns(release),
    { name: 'dest_id', type: 'int64', description: 'POI, a row of `poi_catalogue`.' },
    POI_MINUTES,
  ],
  objectsOf: ({ manifest: { objects } }) => [objects.pois],
  async *rows(reading, { manifest }) {
    const { matrix } = await reading.release.pois(manifest);
    yield* matrixRows(reading, matrix, Array.from(matrix.targets), 1);
  },
};

export const reachTable: CountyTable = {
  name: 'reach',
  description: 'Minutes to every block within 60 minutes.',
  columns: (release) => [
    ORIGIN,
    { name: 'to_geoid', type: 'string', description: 'Census block that it ends in, 15 digits.' },
    ...serviceColumns(release),
    { name: 'minutes', type: 'uint8', description: 'Travel time in whole minutes, rounded up.' },
  ],
  objectsOf: ({ manifest: { objects } }) => [objects['reach-from']],
  async *rows(reading, { manifest }) {
    const matrix = await reading.release.reach(manifest, 'from');
    yield* matrixRows(reading, matrix, Array.from(matrix.targets, geoidFromNumber), 2);
  },
};

/**
 * Yields the rows of a matrix by origin, mode and target; the columns are origin, mode and target
 * (the mode at position `modeAt`), and the time.
 */
async function* matrixRows(
  { release, done }: Reading,
  matrix: Matrix,
  targetNames: Dictionary,
  modeAt: 1 | 2,
): AsyncGenerator<RowGroup> {
  const inOrder = <T>(mode: T, target: T): T[] => (modeAt === 1 ? [mode, target] : [target, mode]);
  const groups = new RowGroups([
    Array.from(matrix.origins, geoidFromNumber),
    ...inOrder<Dictionary>(release.manifest.modes, targetNames),
    timesOf(matrix.unit),
  ]);
  const [origin, second, third, time] = groups.columns;
  const [mode, target] = inOrder(second, third);
  const finished = withServices(release, modeAt);
  const { least } = matrix.unit;
  for await (const { ordinal, modes } of matrix.rows()) {
    const rows = modes.reduce((sum, { targets }) => sum + targets.length, 0);
    if (groups.isTooFullFor(rows)) yield finished(groups.take());
    for (let m = 0; m < modes.length; m++) {
      const { targets, times } = modes[m];
      for (let first = 0; first < targets.length; ) {
        if (groups.isFull) yield finished(groups.take());
        const start = groups.rows;
        const count = Math.min(targets.length - first, target.length - start);
        origin.fill(ordinal, start, start + count);
        mode.fill(m, start, start + count);
        target.set(targets.subarray(first, first + count), start);
        for (let i = 0; i < count; i++) time[start + i] = times[first + i] - least;
        groups.rows = start + count;
        first += count;
      }
    }
    done((ordinal + 1) / matrix.origins.length);
  }
  yield finished(groups.take());
}

/** All times that a unit can represent, in minutes. */
function timesOf(unit: TimeUnit): Dictionary {
  const length = unit.most - unit.least + 1;
  const perMinute = unit === MINUTES ? 1 : 10;
  return Array.from({ length }, (_, i) => (unit.least + i) / perMinute);
}
