import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Feature } from 'geojson';
import { open } from 'shapefile';
import type { Area, Polygon } from '../../shards/geometry/polygon.ts';
import { BuildError } from '../errors.ts';
import { ZipInput } from './zip.ts';

/** A polygon record of a shapefile. */
export interface ShapeRecord {
  /** 1 for the first, as shapefile programs count. */
  readonly number: number;
  readonly area: Area;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads the polygons of a shapefile one by one: a `.zip` that holds one, or a `.shp` beside its `.dbf`. */
export async function* readShapefile(path: string): AsyncGenerator<ShapeRecord> {
  const parts = await openParts(path);
  try {
    const source = await open(parts.shp, parts.dbf, { encoding: 'utf-8' });
    for (let number = 1; ; number++) {
      const { done, value } = await source.read();
      if (done) break;
      yield { number, area: areaOf(path, number, value), fields: value.properties ?? {} };
    }
  } catch (error) {
    if (error instanceof BuildError) throw error;
    const problem = error instanceof Error ? error.message : String(error);
    throw new BuildError(`${path}: not a whole shapefile (${problem}); fetch it again`);
  } finally {
    parts.close();
  }
}

async function openParts(path: string): Promise<{ shp: Readable; dbf: Readable; close(): void }> {
  if (path.endsWith('.shp')) {
    const dbf = `${path.slice(0, -4)}.dbf`;
    for (const file of [path, dbf]) {
      await access(file).catch(() => {
        throw new BuildError(`${file}: no such file, or not readable`);
      });
    }
    return { shp: createReadStream(path), dbf: createReadStream(dbf), close: () => {} };
  }
  const zip = await ZipInput.open(path);
  const shp = zip.names.find((name) => name.endsWith('.shp'));
  const dbf = zip.names.find((name) => name.endsWith('.dbf'));
  if (!shp || !dbf) {
    zip.close();
    throw new BuildError(`${path}: holds no shapefile: a .shp and a .dbf are needed`);
  }
  return {
    shp: await zip.stream(shp),
    dbf: await zip.stream(dbf),
    close: () => zip.close(),
  };
}

function areaOf(path: string, number: number, feature: Feature): Area {
  const { geometry } = feature;
  if (geometry?.type === 'Polygon')
    return { polygons: [geometry.coordinates as unknown as Polygon] };
  if (geometry?.type === 'MultiPolygon') {
    return { polygons: geometry.coordinates as unknown as readonly Polygon[] };
  }
  throw new BuildError(`${path}: record ${number} is a ${geometry?.type ?? 'null'}, not a polygon`);
}
