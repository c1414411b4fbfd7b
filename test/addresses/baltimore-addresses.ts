import { readShapefile } from '../../builder/inputs/shapefile.ts';
import type { Polygon } from '../../shards/geometry/polygon.ts';
import { isInside } from '../conformance/plain-geometry.ts';
import { readWithOsmium } from '../osm/opl.ts';
import { BALTIMORE_BLOCKS, BALTIMORE_OSM } from '../support/baltimore.ts';
import type { PlainAddress } from './misspell.ts';

/** The house numbers of nodes and ways of Baltimore's OpenStreetMap file that are in its blocks. */
export async function baltimoreAddresses(): Promise<PlainAddress[]> {
  const elements = readWithOsmium(BALTIMORE_OSM);
  const nodes = new Map(
    elements
      .filter(({ type }) => type === 'node')
      .map(({ id, lon, lat }) => [id, [Number(lon), Number(lat)] as const]),
  );
  const blocks: { geoid: string; polygons: readonly Polygon[]; box: readonly number[] }[] = [];
  for await (const { area, fields } of readShapefile(BALTIMORE_BLOCKS)) {
    const points = area.polygons.flat(2);
    const [lons, lats] = [points.map(([lon]) => lon), points.map(([, lat]) => lat)];
    const box = [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)];
    blocks.push({ geoid: String(fields.GEOID20), polygons: area.polygons, box });
  }
  const blockAt = (lon: number, lat: number) =>
    blocks.find(
      ({ polygons, box: [west, south, east, north] }) =>
        lon >= west && lon <= east && lat >= south && lat <= north && isInside(polygons, lon, lat),
    )?.geoid;
  const list: PlainAddress[] = [];
  for (const { type, id, refs, tags } of elements) {
    const [number, street] = [tags.get('addr:housenumber'), tags.get('addr:street')];
    if (type === 'relation' || street === undefined || !/^\d+$/.test(number ?? '')) continue;
    const at = (type === 'node' ? [id] : refs!).map((node) => nodes.get(node)!);
    const middle = (of: (position: readonly [number, number]) => number) =>
      (Math.min(...at.map(of)) + Math.max(...at.map(of))) / 2;
    const block = blockAt(
      middle(([lon]) => lon),
      middle(([, lat]) => lat),
    );
    if (block === undefined) continue;
    const zip = /^\d{5}/.exec(tags.get('addr:postcode') ?? '')?.[0] ?? '';
    list.push({ number: Number(number), street, city: 'Baltimore', state: 'MD', zip, block });
  }
  return list;
}
