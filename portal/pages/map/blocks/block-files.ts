import { Columns, type Member } from '../../../../proxy/formats/columns.ts';
import { csvLine } from '../../../../shards/csv/csv-line.ts';
import { geoidText } from './block-bands.ts';
import type { BlockList } from './block-lists.ts';
import type { Polygons } from './block-polygons.ts';

/** The columns of listed blocks, by position: what the list states, and their centres. */
function columnsOf({ blocks, members }: BlockList): Columns<number> {
  const stated = Object.entries(members).map(([name, of]): [string, Member<number>] => [
    name,
    { type: 'string', of },
  ]);
  return new Columns({
    geoid: { type: 'string', of: (i) => geoidText(blocks.geoids[i]) },
    population: { type: 'int32', of: (i) => blocks.population[i] },
    ...Object.fromEntries(stated),
    lon: { type: 'double', of: (i) => blocks.lon[i] },
    lat: { type: 'double', of: (i) => blocks.lat[i] },
  });
}

export function csvOf(list: BlockList, release: string): string {
  const table = columnsOf(list);
  const head = [...table.columns.map(({ name }) => name), 'release'];
  const rows = list.listed.map((i) => [...table.cellsOf(i), release]);
  return [head, ...rows].map(csvLine).join('');
}

interface FileFacts {
  readonly release: string;
  readonly attribution: string;
}

/** Blocks as a GeoJSON FeatureCollection (RFC 7946); without a polygon, the geometry is null. */
export function geoJsonOf(
  list: BlockList,
  polygons: ReadonlyMap<number, Polygons>,
  { release, attribution }: FileFacts,
): string {
  const table = columnsOf(list);
  const features = list.listed.map((i) => {
    const properties = table.membersOf(i);
    const coordinates = polygons.get(list.blocks.geoids[i]);
    return {
      type: 'Feature',
      id: properties.geoid,
      geometry: coordinates === undefined ? null : { type: 'MultiPolygon', coordinates },
      properties,
    };
  });
  return JSON.stringify({ type: 'FeatureCollection', release, attribution, features });
}
