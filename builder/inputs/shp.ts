import type { Polygon } from '../../shards/geometry/polygon.ts';
import { BuildError } from '../errors.ts';
import type { ByteReader } from './byte-reader.ts';
import { polygonsOfRings } from './shp-rings.ts';

/** A polygon of a `.shp`, and the position of its record. */
export interface ShpRecord {
  /** Counted from 1, as in shapefile programs. */
  readonly number: number;
  /** Byte offset of the record's header in the file. */
  readonly offset: number;
  /** Size of the content after the record's header. */
  readonly contentBytes: number;
  readonly polygons: readonly Polygon[];
}

/** The contents of a record's header, as repeated in the `.shx`. */
export type ShxEntry = Pick<ShpRecord, 'offset' | 'contentBytes'>;

const FILE_CODE = 9994;
const HEADER_BYTES = 100;
const RECORD_HEADER_BYTES = 8;
const SHX_ENTRY_BYTES = 8;
/** Maximum size of a record; the outline of all of Alaska takes a twentieth of it. */
const MAX_RECORD_BYTES = 64 * 2 ** 20;
/** Bytes of a polygon before its parts and points: type, box, two counts. */
const POLYGON_BYTES = 44;
const PART_BYTES = 4;
const POINT_BYTES = 16;
const POLYGON = 5;
/** Polygons whose points also have a height or a measure, stored after the points. */
const POLYGON_Z = 15;
const POLYGON_M = 25;
const SHAPES: Readonly<Record<number, string>> = { 0: 'null shape', 1: 'point', 3: 'line' };

/**
 * Reads the polygons of a `.shp` (ESRI Shapefile Technical Description, 1998). Record numbers must
 * be consecutive, and record lengths must add up to the length in the header and of the file;
 * otherwise, and for shapes that are not polygons in degrees, throws a `BuildError` that names
 * `file` and record.
 */
export async function* readShp(file: string, bytes: ByteReader): AsyncGenerator<ShpRecord> {
  const { fileBytes, shapeType } = await readHeader(file, bytes);
  if (![POLYGON, POLYGON_Z, POLYGON_M].includes(shapeType)) throw notPolygons(file, shapeType);
  let offset = HEADER_BYTES;
  for (let number = 1; offset < fileBytes; number++) {
    const broken = (problem: string) => damaged(file, `record ${number} ${problem}`);
    const head = await bytes.take(RECORD_HEADER_BYTES);
    if (head.length < RECORD_HEADER_BYTES) throw broken('is missing');
    if (head.readInt32BE(0) !== number) throw broken(`is numbered ${head.readInt32BE(0)}`);
    const contentBytes = 2 * head.readInt32BE(4);
    const left = fileBytes - offset - RECORD_HEADER_BYTES;
    if (contentBytes < PART_BYTES || contentBytes > Math.min(left, MAX_RECORD_BYTES)) {
      throw broken(`has a length of ${contentBytes} bytes`);
    }
    const content = await bytes.take(contentBytes);
    if (content.length < contentBytes) throw broken('is truncated');
    yield {
      number,
      offset,
      contentBytes,
      polygons: polygonsOf(`${file}: record ${number}`, content),
    };
    offset += RECORD_HEADER_BYTES + contentBytes;
  }
  if (!(await bytes.isAtEnd())) throw damaged(file, `has data after its stated ${fileBytes} bytes`);
}

/** Reads a `.shx`: the positions of the records of the `.shp` next to it, in order. */
export async function* readShx(file: string, bytes: ByteReader): AsyncGenerator<ShxEntry> {
  const { fileBytes } = await readHeader(file, bytes);
  for (let offset = HEADER_BYTES; offset < fileBytes; offset += SHX_ENTRY_BYTES) {
    const entry = await bytes.take(SHX_ENTRY_BYTES);
    if (entry.length < SHX_ENTRY_BYTES) throw damaged(file, 'is truncated');
    yield { offset: 2 * entry.readInt32BE(0), contentBytes: 2 * entry.readInt32BE(4) };
  }
  if (!(await bytes.isAtEnd())) throw damaged(file, `has data after its stated ${fileBytes} bytes`);
}

async function readHeader(file: string, bytes: ByteReader) {
  const head = await bytes.take(HEADER_BYTES);
  if (head.length < HEADER_BYTES || head.readInt32BE(0) !== FILE_CODE) {
    throw damaged(file, 'does not start with a shapefile header');
  }
  return { fileBytes: 2 * head.readInt32BE(24), shapeType: head.readInt32LE(32) };
}

/** Decodes the polygons of a record. `where` names file and record in errors. */
function polygonsOf(where: string, content: Buffer): Polygon[] {
  const type = content.readInt32LE(0);
  if (type !== POLYGON && type !== POLYGON_Z && type !== POLYGON_M) throw notPolygons(where, type);
  if (content.length < POLYGON_BYTES) throw damaged(where, 'is shorter than a polygon');
  const parts = content.readInt32LE(36);
  const points = content.readInt32LE(40);
  const pointsAt = POLYGON_BYTES + PART_BYTES * parts;
  const end = pointsAt + POINT_BYTES * points;
  const isWhole = type === POLYGON ? end === content.length : end <= content.length;
  if (parts < 1 || points < 1 || !isWhole) {
    throw damaged(where, `has ${parts} rings of ${points} points in ${content.length} bytes`);
  }
  const firstPoint = Array.from({ length: parts }, (_, part) =>
    content.readInt32LE(POLYGON_BYTES + PART_BYTES * part),
  );
  const rings = firstPoint.map((first, part) => {
    const last = part + 1 < parts ? firstPoint[part + 1] : points;
    if (first >= last || last > points || firstPoint[0] !== 0) {
      throw damaged(where, `has a ring from point ${first} to ${last} of ${points}`);
    }
    return Array.from({ length: last - first }, (_, i) =>
      position(where, content, pointsAt + POINT_BYTES * (first + i)),
    );
  });
  return polygonsOfRings(where, rings);
}

function position(where: string, content: Buffer, at: number): [lon: number, lat: number] {
  const [lon, lat] = [content.readDoubleLE(at), content.readDoubleLE(at + 8)];
  if (Math.abs(lon) <= 360 && Math.abs(lat) <= 90) return [lon, lat];
  throw new BuildError(
    `${where} has a point at ${lon}, ${lat}; export it in longitude and latitude`,
  );
}

function notPolygons(where: string, type: number): BuildError {
  const shape = SHAPES[type] ?? `shape of type ${type}`;
  return new BuildError(`${where} is a ${shape}, not a polygon; a polygon layer is needed`);
}

/** The error for a damaged part of a shapefile. */
export function damaged(where: string, problem: string): BuildError {
  return new BuildError(`${where} ${problem}: not a complete shapefile; download it again`);
}
