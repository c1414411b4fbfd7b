import { CLASS_ENDS } from '../../../map-classes.ts';
import type { Polygons } from '../still/block-polygons.ts';
import { BEYOND, UNROUTED } from './block-bands.ts';
import type { ColouredBlocks } from './coloured-blocks.ts';

/** `5–10 min`, `over 30 min` … of a class of coloured blocks. */
export function classWords(band: number): string {
  if (band === UNROUTED) return 'no street near';
  if (band === BEYOND) return `over ${CLASS_ENDS.at(-1)} min`;
  return `${CLASS_ENDS[band - 2] ?? 0}–${CLASS_ENDS[band - 1]} min`;
}

/** Facts that a file of blocks states. */
export interface FileFacts {
  readonly mode: string;
  readonly type: number;
  readonly release: string;
  readonly attribution: string;
}

/** A block as a file has it: `minutes_to` is the upper bound of its class, null over 30 minutes. */
function rowOf(coloured: ColouredBlocks, i: number, { mode, type }: FileFacts) {
  const band = coloured.classes[i];
  return {
    geoid: geoidText(coloured.geoids[i]),
    population: coloured.population[i],
    mode,
    dest_type_id: type,
    minutes_over: band === UNROUTED ? null : (CLASS_ENDS[band - 2] ?? 0),
    minutes_to: CLASS_ENDS[band - 1] ?? null,
    class: classWords(band),
  };
}

export function geoidText(geoid: number): string {
  return String(geoid).padStart(15, '0');
}

/** Blocks as CSV (RFC 4180), with their centres. */
export function csvOf(
  coloured: ColouredBlocks,
  blocks: readonly number[],
  facts: FileFacts,
): string {
  const rows = blocks.map((i) => {
    const row = rowOf(coloured, i, facts);
    return [...Object.values(row), coloured.lon[i], coloured.lat[i], facts.release].join(',');
  });
  const head = 'geoid,population,mode,dest_type_id,minutes_over,minutes_to,class,lon,lat,release';
  return `${[head, ...rows].join('\r\n')}\r\n`;
}

/** Blocks as a GeoJSON FeatureCollection (RFC 7946); without a polygon, the geometry is null. */
export function geoJsonOf(
  coloured: ColouredBlocks,
  blocks: readonly number[],
  polygons: ReadonlyMap<number, Polygons>,
  facts: FileFacts,
): string {
  const features = blocks.map((i) => {
    const coordinates = polygons.get(coloured.geoids[i]);
    return {
      type: 'Feature',
      id: geoidText(coloured.geoids[i]),
      geometry: coordinates === undefined ? null : { type: 'MultiPolygon', coordinates },
      properties: {
        ...rowOf(coloured, i, facts),
        lon: coloured.lon[i],
        lat: coloured.lat[i],
      },
    };
  });
  const { release, attribution } = facts;
  return JSON.stringify({ type: 'FeatureCollection', release, attribution, features });
}
