import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { OsmContent } from '../../infra/demo/osm-elements.ts';
import { writePbf } from '../../infra/demo/pbf-writer.ts';
import { type ShapefileLayer, writeShapefile } from '../../infra/demo/shapefile-writer.ts';
import type { MadeNation } from '../support/made-nation.ts';
import { PATHS, putOsm } from './maryland.ts';
import type { Mirror } from './mirror.ts';

/** The code of the state whose files hold a nation: Maryland. */
export const STATE = '24';
/** The flags that name it, and all of its files that a mirror has. */
export const AREA = ['--state', 'MD', '--only', 'osm,census,gtfs'];

/** Settings with which the command downloads from a mirror. */
export function servicesOf(mirror: Mirror) {
  return {
    GEOFABRIK_URL: mirror.url,
    CENSUS_URL: mirror.url,
    MOBILITY_URL: `${mirror.url}${PATHS.catalogue}`,
  };
}

/** Serves the census layers of a nation. */
export async function putCensus(
  { layers: { blocks, places, counties } }: MadeNation,
  mirror: Mirror,
  folder: string,
): Promise<void> {
  const all: ShapefileLayer = {
    ...blocks[0],
    *records() {
      for (const layer of blocks) yield* layer.records();
    },
  };
  for (const [served, layer] of [
    [PATHS.counties, counties],
    [PATHS.blocks, all],
    [PATHS.places, places],
  ] as const) {
    const file = path.join(folder, path.basename(served));
    await writeShapefile(file, { ...layer, name: path.basename(served, '.zip') });
    mirror.put(served, await readFile(file));
  }
}

/** Serves a map as the extract of the state. */
export async function putMap(
  map: OsmContent & { readonly timestamp: Date },
  mirror: Mirror,
  folder: string,
): Promise<void> {
  const file = path.join(folder, 'map.osm.pbf');
  await writePbf(file, map);
  putOsm(mirror, PATHS.osm, await readFile(file));
}
