import { ordinalIn } from '../../shards/arrays/sorted.ts';
import { SHARED } from '../../shards/concurrency/fair-queue.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { type Polygons, polygonsOf } from '../../shards/geometry/geo-json.ts';
import { boxOf } from '../../shards/geometry/wgs84.ts';
import { MICRO } from '../../shards/units.ts';
import type { CountyTable } from './export-table.ts';
import { geometryColumns } from './geometry-columns.ts';

const GEOID = { name: 'geoid', type: 'string', description: 'Census block, 15 digits.' } as const;

/** Few enough that the outlines of a large county are never all in memory. */
const OUTLINED_GROUP_ROWS = 1 << 14;

/** The blocks themselves, as GeoParquet. */
export const blocksTable: CountyTable = {
  name: 'blocks',
  description: 'Census blocks: people, land, outline, and whether there is a street near.',
  columns: () => [
    GEOID,
    {
      name: 'population',
      type: 'int32',
      nullable: true,
      description: 'People counted in the 2020 census; null: not known.',
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
    ...geometryColumns(true),
  ],
  objectsOf: ({ manifest: { objects } }) => [objects.index, objects.blocks],
  async *rows({ release, done }, { manifest }) {
    const index = await release.index(manifest);
    const { outlines } = await release.areas(manifest, SHARED);
    for (let first = 0; first < index.count; first += OUTLINED_GROUP_ROWS) {
      const length = Math.min(OUTLINED_GROUP_ROWS, index.count - first);
      const ordinals = Array.from({ length }, (_, i) => first + i);
      const polygons = ordinals.map((i): Polygons | null => {
        const area = ordinalIn(outlines.geoids, index.geoids[i]);
        return area === -1 ? null : polygonsOf(outlines, area);
      });
      const isLinked = (mode: 'walk' | 'bike') =>
        ordinals.map((i) => index.link(i, mode).status === 'linked');
      yield {
        rows: length,
        values: [
          ordinals.map((i) => geoidFromNumber(index.geoids[i])),
          ordinals.map((i) => index.population(i)),
          ordinals.map((i) => index.landArea(i)),
          ordinals.map((i) => index.lon[i] / MICRO),
          ordinals.map((i) => index.lat[i] / MICRO),
          isLinked('walk'),
          isLinked('bike'),
          polygons,
          polygons.map((each) => each && boxOf(each.flat(2))),
        ],
      };
      done((first + length) / index.count);
    }
  },
};

/** The weights of the blocks, a column each. */
export const weightsTable: CountyTable = {
  name: 'weights',
  description: 'Counts by block: people, and the weights that the release was built with.',
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
