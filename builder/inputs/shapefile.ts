import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Area } from '../../shards/geometry/polygon.ts';
import { BuildError } from '../errors.ts';
import { ByteReader } from './byte-reader.ts';
import { readDbf } from './dbf.ts';
import { unreadable } from './fingerprint.ts';
import { damaged, readShp, readShx, type ShpRecord, type ShxEntry } from './shp.ts';
import { ZipInput } from './zip.ts';

/** A polygon record of a shapefile. */
export interface ShapeRecord {
  /** Counted from 1, as in shapefile programs. */
  readonly number: number;
  readonly area: Area;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Reads the polygons of a shapefile one by one: a `.zip` that contains one, or a `.shp` next to its
 * `.dbf`. Index and projection are read if present. Geometry, attributes and index must have the
 * same records, and coordinates must be in degrees. Throws a `BuildError` that names file and
 * record, possibly only after the last record, so records are valid only once all have been read.
 */
export async function* readShapefile(path: string): AsyncGenerator<ShapeRecord> {
  const files = path.endsWith('.shp') ? looseFiles(path) : await zippedFiles(path);
  const streams: Readable[] = [];
  const open = async (ending: Ending) => {
    const stream = await files.open(ending);
    if (stream) streams.push(stream);
    return stream && new ByteReader(stream);
  };
  try {
    const [shp, dbf, shx] = [await open('.shp'), await open('.dbf'), await open('.shx')];
    if (!shp) throw new BuildError(`${files.name('.shp')}: missing or not readable`);
    if (!dbf) throw new BuildError(`${files.name('.dbf')}: missing or not readable`);
    const prj = await open('.prj');
    if (prj) checkProjection(files.name('.prj'), await prj.take(MAX_PRJ_BYTES + 1));
    const shapes = readShp(files.name('.shp'), shp);
    const rows = readDbf(files.name('.dbf'), dbf);
    const index = shx && readShx(files.name('.shx'), shx);
    for (let records = 0; ; records++) {
      const shape = await shapes.next();
      const row = await rows.next();
      const entry = await index?.next();
      const lengthOf = (ending: Ending, isAtEnd: boolean | undefined) =>
        damaged(
          files.name(ending),
          `has ${isAtEnd ? '' : 'more than '}${records} records, unlike the .shp`,
        );
      if (row.done !== shape.done) throw lengthOf('.dbf', row.done);
      if (entry && entry.done !== shape.done) throw lengthOf('.shx', entry.done);
      if (shape.done || row.done) break;
      const { number, polygons } = shape.value;
      if (entry && !entry.done) checkPlace(files.name('.shx'), shape.value, entry.value);
      yield { number, area: { polygons }, fields: row.value };
    }
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw unreadable(path, error);
  } finally {
    for (const stream of streams) stream.destroy();
    files.close();
  }
}

/** Returns the paths of the files of an unzipped shapefile that are read. */
export async function looseFilesOf(shp: string): Promise<string[]> {
  const { name } = looseFiles(shp);
  const others = await Promise.all(
    ENDINGS.slice(1).map((ending) =>
      access(name(ending)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return [
    shp,
    ...ENDINGS.slice(1)
      .map(name)
      .filter((_, i) => others[i]),
  ];
}

const ENDINGS = ['.shp', '.dbf', '.shx', '.prj'] as const;
type Ending = (typeof ENDINGS)[number];

/** The files of a shapefile, from any container. */
interface ShapefileFiles {
  /** Name of a file for error messages. */
  name(ending: Ending): string;
  /** `null` if there is no such file. */
  open(ending: Ending): Promise<Readable | null>;
  close(): void;
}

function looseFiles(path: string): ShapefileFiles {
  const name = (ending: Ending) => `${path.slice(0, -'.shp'.length)}${ending}`;
  return {
    name,
    open: (ending) =>
      access(name(ending)).then(
        () => createReadStream(name(ending)),
        () => null,
      ),
    close: () => {},
  };
}

async function zippedFiles(path: string): Promise<ShapefileFiles> {
  const zip = await ZipInput.open(path);
  const layers = zip.names.filter((name) => name.endsWith('.shp'));
  const base = layers.length === 1 ? layers[0].slice(0, -'.shp'.length) : '';
  if (!zip.names.includes(`${base}.dbf`)) {
    zip.close();
    throw new BuildError(
      layers.length > 1
        ? `${path}: contains ${layers.length} shapefiles; put each into an archive of its own`
        : `${path}: contains no shapefile: a .shp and a .dbf are needed`,
    );
  }
  return {
    name: (ending) => `${path}: ${base}${ending}`,
    open: async (ending) =>
      zip.names.includes(`${base}${ending}`) ? zip.stream(`${base}${ending}`) : null,
    close: () => zip.close(),
  };
}

const MAX_PRJ_BYTES = 1 << 16;

/** The required start of the `.prj`, in either version of the format (WKT). */
const IN_DEGREES = /^\s*(GEOGCS|GEOGCRS|GEODCRS)\s*\[/;

function checkProjection(file: string, text: Buffer): void {
  if (text.length <= MAX_PRJ_BYTES && IN_DEGREES.test(text.toString('latin1'))) return;
  throw new BuildError(
    `${file}: its coordinates are not in degrees; export it in longitude and latitude (EPSG:4269 or 4326)`,
  );
}

function checkPlace(file: string, record: ShpRecord, entry: ShxEntry): void {
  if (entry.offset === record.offset && entry.contentBytes === record.contentBytes) return;
  throw damaged(file, `has record ${record.number} at byte ${entry.offset}, not ${record.offset}`);
}
