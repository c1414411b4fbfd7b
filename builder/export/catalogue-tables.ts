import { polygonsOf } from '../../shards/geometry/geo-json.ts';
import { uspsOf } from '../../shards/states.ts';
import type { CountyTable, ReleaseTable } from './export-table.ts';
import { geometryColumns } from './geometry-columns.ts';

const optional = (name: string, description: string) =>
  ({ name, type: 'string', nullable: true, description }) as const;

function pluck<T>(items: readonly T[], ...members: readonly (keyof T)[]): unknown[][] {
  return members.map((member) => items.map((item) => item[member]));
}

export const poiCatalogueTable: CountyTable = {
  name: 'poi_catalogue',
  description: 'POIs at home in the county.',
  columns: () => [
    { name: 'dest_id', type: 'int64', description: 'POI; the same in every release.' },
    { name: 'name', type: 'string', description: 'Name; empty if it has none.' },
    { name: 'lon', type: 'double', description: 'Longitude, WGS84 degrees.' },
    { name: 'lat', type: 'double', description: 'Latitude, WGS84 degrees.' },
    optional('street', 'House number and street.'),
    optional('city', 'City.'),
    optional('state', 'State.'),
    optional('zip', 'ZIP code.'),
    optional('brand', 'Brand.'),
    { name: 'type_ids', type: 'int32s', description: 'Its destination types, leaves of `types`.' },
  ],
  objectsOf: ({ manifest: { objects } }) => [objects['poi-map']],
  async *rows({ release }, { manifest }) {
    const { matrix, table } = await release.catchments(manifest);
    const pois = Array.from({ length: table.count }, (_, poi) => table.facts(poi));
    yield {
      rows: table.count,
      values: [
        Array.from(matrix.origins),
        ...pluck(pois, 'name', 'lon', 'lat', 'street', 'city', 'state', 'zip', 'brand', 'types'),
      ],
    };
  },
};

export const typesTable: ReleaseTable = {
  name: 'types',
  description: 'Destination types; those that are no parent are leaves.',
  columns: () => [
    { name: 'dest_type_id', type: 'int32', description: 'Destination type.' },
    { name: 'label', type: 'string', description: 'Its key, in snake case.' },
    { name: 'name', type: 'string', description: 'Its name.' },
    { name: 'parent_id', type: 'int32', nullable: true, description: 'Type that it is part of.' },
  ],
  async *rows({ release }) {
    const { types } = release.taxonomy;
    yield {
      rows: types.length,
      values: pluck(types, 'dest_type_id', 'label', 'name', 'parent_id'),
    };
  },
};

/** The census places, as GeoParquet; one row group per state. */
export const placesTable: ReleaseTable = {
  name: 'places',
  description: 'Census places (cities and towns) with blocks in the release.',
  columns: () => [
    { name: 'geoid', type: 'string', description: 'Census place, seven digits.' },
    { name: 'name', type: 'string', description: 'Name.' },
    { name: 'state', type: 'string', description: 'State, in the two letters of the post.' },
    { name: 'lon', type: 'double', description: 'Longitude of a point inside, WGS84 degrees.' },
    { name: 'lat', type: 'double', description: 'Latitude of a point inside, WGS84 degrees.' },
    ...geometryColumns(false),
  ],
  async *rows({ release, done }) {
    const states = Object.entries(release.manifest.states);
    for (const [i, [fips, state]] of states.entries()) {
      const table = await release.places(state);
      const polygons = [];
      for (const ordinal of table.places.keys()) {
        polygons.push(polygonsOf(await table.outline(ordinal), 0));
      }
      yield {
        rows: polygons.length,
        values: [
          ...pluck(table.places, 'geoid', 'name'),
          table.places.map(() => uspsOf(fips)),
          ...pluck(table.places, 'lon', 'lat'),
          polygons,
          table.places.map(({ box }) => box),
        ],
      };
      done((i + 1) / states.length);
    }
  },
};
