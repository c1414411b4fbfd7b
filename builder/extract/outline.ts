import { access, readFile } from 'node:fs/promises';
import { systemCode } from '../../shards/error-facts.ts';
import type { Area, Polygon } from '../../shards/geometry/polygon.ts';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';

/**
 * Reads the polygon that an extract was cut by, if it lies next to the extract under Geofabrik's
 * naming: `maryland.poly` for `maryland-latest.osm.pbf`. Null if there is none.
 */
export async function outlineOf(pbf: string): Promise<Area | null> {
  const path = await outlineFileOf(pbf);
  if (path === null) return null;
  try {
    return { polygons: parsePoly(path, await readFile(path, 'utf8')) };
  } catch (error) {
    throw error instanceof BuildError ? error : unreadable(path, error);
  }
}

/** Returns the path of the polygon next to an extract; null if there is none. */
export async function outlineFileOf(pbf: string): Promise<string | null> {
  const name = pbf.replace(/\.osm\.pbf$/, '');
  for (const stem of [name, name.replace(/-(latest|\d{6})$/, '')]) {
    const isThere = await access(`${stem}.poly`).then(
      () => true,
      (error) => systemCode(error) !== 'ENOENT',
    );
    if (isThere) return `${stem}.poly`;
  }
  return null;
}

/**
 * Parses Osmosis' polygon filter format: a name, rings of `lon lat` lines, each preceded by a name
 * and followed by `END` (holes begin with `!`), and `END`. Whether a ring is a hole is derived from
 * the rings around it.
 */
function parsePoly(path: string, text: string): Polygon[] {
  const lines = text.split('\n').map((line) => line.trim());
  const polygons: Polygon[] = [];
  let ring: [number, number][] | null = null;
  for (const [i, line] of lines.entries()) {
    if (i === 0 || line === '') continue;
    if (line === 'END') {
      if (ring === null) break;
      if (ring.length < 3) throw unreadableLine(path, i, 'a ring has fewer than three points');
      polygons.push([[...ring, ring[0]]]);
      ring = null;
    } else if (ring === null) {
      ring = [];
    } else {
      const [lon, lat, ...more] = line.split(/\s+/).map(Number);
      const isPosition = Math.abs(lon) <= 180 && Math.abs(lat) <= 90 && more.length === 0;
      if (!isPosition) throw unreadableLine(path, i, `“${line.slice(0, 40)}” is not a coordinate`);
      ring.push([lon, lat]);
    }
  }
  if (ring !== null || polygons.length === 0) {
    throw unreadableLine(path, lines.length - 1, 'it has no rings, or ends within one');
  }
  return polygons;
}

function unreadableLine(path: string, line: number, problem: string): BuildError {
  return new BuildError(`${path}: line ${line + 1}: ${problem}; download it again, or remove it`);
}
