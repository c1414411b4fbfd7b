import type { Position } from '../../shards/geometry/polygon.ts';
import { BuildError } from '../errors.ts';
import type { ByteReader } from './byte-reader.ts';

/** A polygon or line of a `.shp`, and the position of its record. */
export interface ShpRecord {
  /** Counted from 1, as in shapefile programs. */
  readonly number: number;
  /** Byte offset of the record's header in the file. */
  readonly offset: number;
  /** Size of the content after the record's header. */
  readonly contentBytes: number;
  /** Rings of a polygon, lines of a line. */
  readonly parts: readonly (readonly Position[])[];
}

/** The contents of a record's header, as repeated in the `.shx`. */
export type ShxEntry = Pick<ShpRecord, 'offset' | 'contentBytes'>;

const FILE_CODE = 9994;
const HEADER_BYTES = 100;
const RECORD_HEADER_BYTES = 8;
const SHX_ENTRY_BYTES = 8;
/** Maximum size of a record; the outline of all of Alaska takes a twentieth of it. */
const MAX_RECORD_BYTES = 64 * 2 ** 20;
/** Bytes of a shape before its parts and points: type, box, two counts. */
const SHAPE_BYTES = 44;
const PART_BYTES = 4;
const POINT_BYTES = 16;
const SHAPES: Readonly<Record<number, string>> = {
  0: 'null shape',
  1: 'point',
  3: 'line',
  5: 'polygon',
};

/** A kind of shape: its types, of which the later ones also have a height or a measure. */
interface ShapeKind {
  readonly name: string;
  readonly part: string;
  readonly types: readonly number[];
}
export const POLYGONS: ShapeKind = { name: 'polygon', part: 'ring', types: [5, 15, 25] };
export const LINES: ShapeKind = { name: 'line', part: 'part', types: [3, 13, 23] };

/**
 * Reads the shapes of a `.shp` (ESRI Shapefile Technical Description, 1998). Record numbers must be
 * consecutive, and record lengths must add up to the length in the header and of the file;
 * otherwise, and for shapes that are not of the kind and in degrees, throws a `BuildError` that
 * names `file` and record.
 */
export async function* readShp(
  file: string,
  bytes: ByteReader,
  kind: ShapeKind,
): AsyncGenerator<ShpRecord> {
  const { fileBytes, shapeType } = await readHeader(file, bytes);
  if (!kind.types.includes(shapeType)) throw notOfKind(file, shapeType, kind);
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
      parts: partsOf(`${file}: record ${number}`, content, kind),
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

/** Decodes the parts of a record. `where` names file and record in errors. */
function partsOf(where: string, content: Buffer, kind: ShapeKind): Position[][] {
  const type = content.readInt32LE(0);
  if (!kind.types.includes(type)) throw notOfKind(where, type, kind);
  if (content.length < SHAPE_BYTES) throw damaged(where, `is shorter than a ${kind.name}`);
  const parts = content.readInt32LE(36);
  const points = content.readInt32LE(40);
  const pointsAt = SHAPE_BYTES + PART_BYTES * parts;
  const end = pointsAt + POINT_BYTES * points;
  const isWhole = type === kind.types[0] ? end === content.length : end <= content.length;
  if (parts < 1 || points < 1 || !isWhole) {
    throw damaged(
      where,
      `has ${parts} ${kind.part}s of ${points} points in ${content.length} bytes`,
    );
  }
  const firstPoint = Array.from({ length: parts }, (_, part) =>
    content.readInt32LE(SHAPE_BYTES + PART_BYTES * part),
  );
  return firstPoint.map((first, part) => {
    const last = part + 1 < parts ? firstPoint[part + 1] : points;
    if (first >= last || last > points || firstPoint[0] !== 0) {
      throw damaged(where, `has a ${kind.part} from point ${first} to ${last} of ${points}`);
    }
    return Array.from({ length: last - first }, (_, i) =>
      position(where, content, pointsAt + POINT_BYTES * (first + i)),
    );
  });
}

function position(where: string, content: Buffer, at: number): Position {
  const [lon, lat] = [content.readDoubleLE(at), content.readDoubleLE(at + 8)];
  if (Math.abs(lon) <= 360 && Math.abs(lat) <= 90) return [lon, lat];
  throw new BuildError(
    `${where} has a point at ${lon}, ${lat}; export it in longitude and latitude`,
  );
}

function notOfKind(where: string, type: number, { name }: ShapeKind): BuildError {
  const shape = SHAPES[type] ?? `shape of type ${type}`;
  return new BuildError(`${where} is a ${shape}, not a ${name}; a ${name} layer is needed`);
}

export function damaged(where: string, problem: string): BuildError {
  return new BuildError(`${where} ${problem}: not a complete shapefile; download it again`);
}
