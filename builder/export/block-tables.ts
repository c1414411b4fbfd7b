import { ordinalIn } from '../../shards/arrays/sorted.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { type Polygons, polygonsOf } from '../../shards/geometry/geo-json.ts';
import { boxOf } from '../../shards/geometry/wgs84.ts';
import { type LinkMode, linkModesOf } from '../../shards/modes.ts';
import { valuesOf } from '../../shards/parquet/table.ts';
import type { Release, ReleaseCounty } from '../../shards/release/release.ts';
import { MICRO } from '../../shards/units.ts';
import type { CountyTable } from './export-table.ts';
import { geometryColumns } from './geometry-columns.ts';

const GEOID = { name: 'geoid', type: 'string', description: 'Census block, 15 digits.' } as const;

/** Rows per group; few enough that the outlines of a large county are never all in memory. */
const OUTLINED_GROUP_ROWS = 1 << 14;

/** The margins of the API, in a sentence; `shards/weights/margin.ts` derives them. */
const NOISE_OF_CENSUS =
  'The census adds noise: in 90 of 100 cases a block is off by up to 13 people, a sum of n blocks by up to 13 √n, of whole block groups by far less.';

export const blocksTable: CountyTable = {
  name: 'blocks',
  description: 'Census blocks: people, land, outline, and whether there is a street near.',
  columns: (release) => [
    GEOID,
    {
      name: 'population',
      type: 'int32',
      nullable: true,
      description: `People counted in the 2020 census; null: not known. ${NOISE_OF_CENSUS}`,
    },
    {
      name: 'land_area_m2',
      type: 'double',
      nullable: true,
      description: 'Land in square metres; null: not known.',
    },
    { name: 'lon', type: 'double', description: 'Longitude of the centre, WGS84 degrees.' },
    { name: 'lat', type: 'double', description: 'Latitude of the centre, WGS84 degrees.' },
    {
      name: 'walk_linked',
      type: 'boolean',
      description: 'Whether the centre is linked to a street for walking, and for transit.',
    },
    {
      name: 'bike_linked',
      type: 'boolean',
      description: 'Whether the centre is linked to a street for cycling.',
    },
    ...(hasStepFree(release)
      ? [
          {
            name: 'step_free_linked',
            type: 'boolean' as const,
            description:
              'Whether the centre is linked to a street for step-free walks, and for step-free transit.',
          },
        ]
      : []),
    ...geometryColumns(true),
  ],
  objectsOf: ({ manifest: { objects } }) => [objects.index, objects.blocks],
  async *rows({ release, done }, county) {
    const read = await openBlocks(release, county);
    const count = county.manifest.blocks;
    for (let first = 0; first < count; first += OUTLINED_GROUP_ROWS) {
      const rows = Math.min(OUTLINED_GROUP_ROWS, count - first);
      yield { rows, values: read(first, rows) };
      done((first + rows) / count);
    }
  },
};

function hasStepFree({ manifest }: Release): boolean {
  return linkModesOf(manifest.modes).includes('step_free');
}

/** Opens the blocks of a county, and returns a reader of the columns of a run of blocks. */
async function openBlocks(release: Release, { manifest }: ReleaseCounty) {
  const index = await release.index(manifest);
  const { outlines } = await release.areas(manifest);
  const outlineOf = (i: number): Polygons | null => {
    const area = ordinalIn(outlines.geoids, index.geoids[i]);
    return area === -1 ? null : polygonsOf(outlines, area);
  };
  return (first: number, length: number): unknown[][] => {
    const ordinals = Array.from({ length }, (_, i) => first + i);
    const polygons = ordinals.map(outlineOf);
    const isLinked = (mode: LinkMode) => ordinals.map((i) => index.isLinked(i, mode));
    return [
      ordinals.map((i) => geoidFromNumber(index.geoids[i])),
      ordinals.map((i) => index.population(i)),
      ordinals.map((i) => index.landArea(i)),
      ordinals.map((i) => index.lon[i] / MICRO),
      ordinals.map((i) => index.lat[i] / MICRO),
      isLinked('walk'),
      isLinked('bike'),
      ...(hasStepFree(release) ? [isLinked('step_free')] : []),
      polygons,
      polygons.map((each) => each && boxOf(each.flat(2))),
    ];
  };
}

/** Rows per group; few enough that the values of hundreds of columns take little memory. */
const JOINED_GROUP_ROWS = 1 << 10;

/**
 * Puts the columns of `blocks` in front of a table with one row per block, in the order of blocks,
 * whose first column is the GEOID.
 */
export function withBlocks(table: CountyTable): CountyTable {
  return {
    ...table,
    columns: (release) => [...blocksTable.columns(release), ...table.columns(release).slice(1)],
    objectsOf: (county) => [...table.objectsOf(county), ...blocksTable.objectsOf(county)],
    async *rows(reading, county) {
      const read = await openBlocks(reading.release, county);
      let block = 0;
      for await (const group of table.rows(reading, county)) {
        const columns = table.columns(reading.release).map((_, c) => valuesOf(group, c));
        for (let first = 0; first < group.rows; first += JOINED_GROUP_ROWS) {
          const rows = Math.min(JOINED_GROUP_ROWS, group.rows - first);
          const joined = columns
            .slice(1)
            .map((value) => Array.from({ length: rows }, (_, i) => value(first + i)));
          yield { rows, values: [...read(block, rows), ...joined] };
          block += rows;
        }
      }
    },
  };
}

export const weightsTable: CountyTable = {
  name: 'weights',
  description: `Counts by block: people, and the weights that the release was built with. ${NOISE_OF_CENSUS}`,
  columns: ({ weights }) => [
    GEOID,
    ...weights.map(({ weight, label, source, year }) => ({
      name: weight,
      type: 'uint32' as const,
      description: `${label} (${year === null ? source : `${source}, ${year}`}).`,
    })),
  ],
  objectsOf: ({ manifest: { objects } }) => [
    objects.index,
    ...(objects.weights ? [objects.weights] : []),
  ],
  async *rows({ release }, { manifest }) {
    const { geoids, count } = await release.index(manifest);
    const counts = await Promise.all(
      release.weights.map(({ weight }) => release.weightCounts(manifest, weight)),
    );
    yield {
      rows: count,
      values: [Array.from(geoids, geoidFromNumber), ...counts.map((one) => Array.from(one))],
    };
  },
};
