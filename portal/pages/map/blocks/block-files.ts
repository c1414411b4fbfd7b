import { csvLine } from '../../../../shards/csv/csv-line.ts';
import type { BlockList } from './block-lists.ts';
import type { Polygons } from './block-polygons.ts';

export function geoidText(geoid: number): string {
  return String(geoid).padStart(15, '0');
}

/** Blocks of a release as CSV, with their centres. */
export function csvOf({ blocks, listed, members }: BlockList, release: string): string {
  const named = Object.entries(members);
  const rows = listed.map((i) => [
    geoidText(blocks.geoids[i]),
    blocks.population[i],
    ...named.map(([, of]) => of(i)),
    blocks.lon[i],
    blocks.lat[i],
    release,
  ]);
  const head = ['geoid', 'population', ...named.map(([name]) => name), 'lon', 'lat', 'release'];
  return [head, ...rows].map(csvLine).join('');
}

/** Facts about a file of blocks as a whole. */
interface FileFacts {
  readonly release: string;
  readonly attribution: string;
}

/** Blocks as a GeoJSON FeatureCollection (RFC 7946); without a polygon, the geometry is null. */
export function geoJsonOf(
  { blocks, listed, members }: BlockList,
  polygons: ReadonlyMap<number, Polygons>,
  { release, attribution }: FileFacts,
): string {
  const features = listed.map((i) => {
    const geoid = geoidText(blocks.geoids[i]);
    const coordinates = polygons.get(blocks.geoids[i]);
    const own = Object.entries(members).map(([name, of]) => [name, of(i)]);
    return {
      type: 'Feature',
      id: geoid,
      geometry: coordinates === undefined ? null : { type: 'MultiPolygon', coordinates },
      properties: {
        geoid,
        population: blocks.population[i],
        ...Object.fromEntries(own),
        lon: blocks.lon[i],
        lat: blocks.lat[i],
      },
    };
  });
  return JSON.stringify({ type: 'FeatureCollection', release, attribution, features });
}
