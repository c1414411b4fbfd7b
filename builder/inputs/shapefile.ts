import { createReadStream } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import type { Area, Position } from '../../shards/geometry/polygon.ts';
import { BuildError } from '../errors.ts';
import { ByteReader } from './byte-reader.ts';
import { crsOfWkt, isLikeWgs84, otherCoordinates } from './crs.ts';
import { readDbf } from './dbf.ts';
import { unreadable } from './fingerprint.ts';
import {
  damaged,
  LINES,
  POLYGONS,
  readShp,
  readShx,
  type ShpRecord,
  type ShxEntry,
} from './shp.ts';
import { polygonsOfRings } from './shp-rings.ts';
import { decodePiece } from './text.ts';
import { ZipInput } from './zip.ts';

interface FieldRecord {
  /** Counted from 1, as in shapefile programs. */
  readonly number: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ShapeRecord extends FieldRecord {
  readonly area: Area;
}

export interface LineRecord extends FieldRecord {
  readonly lines: readonly (readonly Position[])[];
}

type Note = (line: string) => void;

/**
 * Reads the polygons of a shapefile one by one: a `.zip` that contains one, or a `.shp` next to its
 * `.dbf`, in capitals or not. Index, projection and encoding are read if present. Geometry,
 * attributes and index must have the same records, and coordinates must be in degrees. Throws a
 * `BuildError` that names file and record, possibly only after the last record, so records are
 * valid only once all have been read.
 */
export async function* readShapefile(
  input: string,
  note: Note = () => {},
): AsyncGenerator<ShapeRecord> {
  for await (const { where, parts, ...record } of readRecords(input, POLYGONS, note)) {
    yield { ...record, area: { polygons: polygonsOfRings(where, parts) } };
  }
}

/** Reads the lines of a shapefile one by one, as `readShapefile` does polygons. */
export async function* readLineShapefile(input: string, note: Note): AsyncGenerator<LineRecord> {
  for await (const { number, fields, parts } of readRecords(input, LINES, note)) {
    yield { number, fields, lines: parts };
  }
}

/** A record with the parts of its shape; `where` names file and record in errors. */
interface PartsRecord extends FieldRecord {
  readonly where: string;
  readonly parts: ShpRecord['parts'];
}

async function* readRecords(
  input: string,
  kind: typeof POLYGONS,
  note: Note,
): AsyncGenerator<PartsRecord> {
  const files = isLooseShapefile(input) ? await looseFiles(input) : await zippedFiles(input);
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
    if (prj) checkProjection(files.name('.prj'), await prj.take(MAX_TEXT_BYTES));
    const cpg = await open('.cpg');
    const encoding = cpg && decodePiece(await cpg.take(MAX_TEXT_BYTES)).trim();
    let guessed = 0;
    const shapes = readShp(files.name('.shp'), shp, kind);
    const rows = readDbf(files.name('.dbf'), dbf, encoding || null, () => guessed++);
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
      const { number, parts } = shape.value;
      if (entry && !entry.done) checkPlace(files.name('.shx'), shape.value, entry.value);
      const where = `${files.name('.shp')}: record ${number}`;
      yield { number, where, parts, fields: row.value };
    }
    if (guessed > 0) {
      note(
        `${files.name('.dbf')}: ${guessed} × text that is not in ${encoding || 'UTF-8'}; read as Windows-1252`,
      );
    }
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw unreadable(input, error);
  } finally {
    for (const stream of streams) stream.destroy();
    files.close();
  }
}

export function isLooseShapefile(file: string): boolean {
  return file.toLowerCase().endsWith('.shp');
}

/** Returns the paths of the files of an unzipped shapefile that are read. */
export async function looseFilesOf(shp: string): Promise<string[]> {
  const parts = await loosePartsOf(shp);
  return [...parts.values()];
}

const ENDINGS = ['.shp', '.dbf', '.shx', '.prj', '.cpg'] as const;
type Ending = (typeof ENDINGS)[number];

interface ShapefileFiles {
  name(ending: Ending): string;
  /** `null` if there is no such file. */
  open(ending: Ending): Promise<Readable | null>;
  close(): void;
}

/** The names of the files of a shapefile among others, which may differ in capitals. */
function partsAmong(container: string, shp: string, names: readonly string[]): Map<Ending, string> {
  const parts = new Map<Ending, string>([['.shp', shp]]);
  for (const ending of ENDINGS.slice(1)) {
    const part = `${stemOf(shp)}${ending}`.toLowerCase();
    const [name, other] = names.filter((one) => one.toLowerCase() === part);
    if (other !== undefined) {
      throw new BuildError(`${container}: contains ${name} and ${other}; keep one of them`);
    }
    if (name !== undefined) parts.set(ending, name);
  }
  return parts;
}

function stemOf(shp: string): string {
  return shp.slice(0, -'.shp'.length);
}

async function loosePartsOf(shp: string): Promise<Map<Ending, string>> {
  const folder = path.dirname(shp);
  const names = await readdir(folder).catch(() => []);
  const parts = partsAmong(folder, path.basename(shp), names);
  return new Map([...parts].map(([ending, name]) => [ending, path.join(folder, name)]));
}

async function looseFiles(shp: string): Promise<ShapefileFiles> {
  const parts = await loosePartsOf(shp);
  await access(shp).catch(() => parts.delete('.shp'));
  return {
    name: (ending) => parts.get(ending) ?? `${stemOf(shp)}${ending}`,
    open: async (ending) => {
      const file = parts.get(ending);
      return file === undefined ? null : createReadStream(file);
    },
    close: () => {},
  };
}

async function zippedFiles(archive: string): Promise<ShapefileFiles> {
  const zip = await ZipInput.open(archive, ['.shp']);
  try {
    const layers = zip.endingWith('.shp');
    const parts =
      layers.length === 1 ? partsAmong(zip.path, layers[0], zip.names) : new Map<Ending, string>();
    if (!parts.has('.dbf')) {
      throw new BuildError(
        layers.length > 1
          ? `${zip.path}: contains ${layers.length} shapefiles; put each into an archive of its own`
          : `${zip.path}: contains no shapefile: a .shp and a .dbf are needed`,
      );
    }
    return {
      name: (ending) => `${zip.path}: ${parts.get(ending) ?? `${stemOf(layers[0])}${ending}`}`,
      open: async (ending) => {
        const name = parts.get(ending);
        return name === undefined ? null : zip.stream(name);
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const MAX_TEXT_BYTES = 1 << 16;

function checkProjection(file: string, text: Buffer): void {
  const crs = crsOfWkt(decodePiece(text));
  if (!isLikeWgs84(crs)) throw otherCoordinates(file, crs.name);
}

function checkPlace(file: string, record: ShpRecord, entry: ShxEntry): void {
  if (entry.offset === record.offset && entry.contentBytes === record.contentBytes) return;
  throw damaged(file, `has record ${record.number} at byte ${entry.offset}, not ${record.offset}`);
}
