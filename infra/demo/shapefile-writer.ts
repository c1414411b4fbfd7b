import { writeZip, type ZipPart } from '../../builder/inputs/zip-writer.ts';
import { aroundAll, aroundBoth, type Bounds } from '../../shards/geometry/bounds.ts';
import type { Polygon } from '../../shards/geometry/polygon.ts';

/** A column of the attribute table: text, or a number with `decimals` places. */
export interface ShapefileField {
  readonly name: string;
  readonly type: 'C' | 'N';
  readonly width: number;
  readonly decimals: number;
}

export interface ShapefileRecord {
  /**
   * Outer rings run clockwise, holes counter-clockwise, as the format requires; in a layer of
   * lines, the lines.
   */
  readonly polygon: Polygon;
  /** Values in the order of the fields. */
  readonly values: readonly (string | number)[];
}

export interface ShapefileLayer {
  /** Base name of the files in the archive, without extension. */
  readonly name: string;
  readonly fields: readonly ShapefileField[];
  /** Whether the shapes are lines, not polygons. */
  readonly isOfLines?: boolean;
  /**
   * Yields the records. Called several times, with the same result each time, since lengths and
   * boxes precede the data they describe.
   */
  records(): Iterable<ShapefileRecord>;
}

const HEADER_BYTES = 100;
const RECORD_HEADER_BYTES = 8;
const LINE = 3;
const POLYGON = 5;
/** Bytes of a polygon before its parts and points: type, box, two counts. */
const POLYGON_BYTES = 44;
const POINT_BYTES = 16;
/** Date in the attribute table: years from 1900, month, day. */
const DBF_DATE = [126, 1, 1];

/** The datum of the Census Bureau's shapefiles. */
const NAD83 =
  'GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

/**
 * Writes a zipped shapefile of polygons or lines in NAD83, in constant memory. Follows the "ESRI
 * Shapefile Technical Description" (1998) and dBASE III.
 */
export function writeShapefile(path: string, layer: ShapefileLayer): Promise<void> {
  const { name } = layer;
  const text = (content: string) => () => [Buffer.from(content)];
  const parts: ZipPart[] = [
    { name: `${name}.shp`, chunks: () => geometry(layer) },
    { name: `${name}.shx`, chunks: () => offsets(layer) },
    { name: `${name}.dbf`, chunks: () => attributes(layer) },
    { name: `${name}.prj`, chunks: text(NAD83) },
    { name: `${name}.cpg`, chunks: text('UTF-8') },
  ];
  return writeZip(path, parts);
}

function* geometry(layer: ShapefileLayer): Generator<Uint8Array> {
  const { bytes, box } = measure(layer);
  yield header(layer, HEADER_BYTES + bytes, box);
  let number = 1;
  for (const { polygon } of layer.records()) yield shapeRecord(layer, number++, polygon);
}

function* offsets(layer: ShapefileLayer): Generator<Uint8Array> {
  const { count, box } = measure(layer);
  yield header(layer, HEADER_BYTES + count * RECORD_HEADER_BYTES, box);
  let offset = HEADER_BYTES;
  for (const { polygon } of layer.records()) {
    const bytes = contentBytes(polygon);
    const entry = Buffer.alloc(RECORD_HEADER_BYTES);
    entry.writeInt32BE(offset / 2, 0);
    entry.writeInt32BE(bytes / 2, 4);
    yield entry;
    offset += RECORD_HEADER_BYTES + bytes;
  }
}

function* attributes({ fields, records }: ShapefileLayer): Generator<Uint8Array> {
  let count = 0;
  for (const _ of records()) count++;
  const recordBytes = fields.reduce((sum, field) => sum + field.width, 1);
  const head = Buffer.alloc(32 + 32 * fields.length + 1);
  head.set([3, ...DBF_DATE]);
  head.writeUInt32LE(count, 4);
  head.writeUInt16LE(head.length, 8);
  head.writeUInt16LE(recordBytes, 10);
  fields.forEach(({ name, type, width, decimals }, i) => {
    const at = 32 + 32 * i;
    head.write(name, at, 10, 'latin1');
    head.write(type, at + 11, 'latin1');
    head[at + 16] = width;
    head[at + 17] = decimals;
  });
  head[head.length - 1] = 0x0d;
  yield head;
  for (const { values } of records()) {
    const record = Buffer.alloc(recordBytes, ' ');
    let at = 1;
    fields.forEach((field, i) => {
      record.write(cellText(field, values[i]), at, field.width, 'utf8');
      at += field.width;
    });
    yield record;
  }
  yield Buffer.of(0x1a);
}

/** Formats a cell. Numbers are right-aligned, with fewer decimals where they would not fit. */
function cellText({ name, width, decimals }: ShapefileField, value: string | number): string {
  if (typeof value === 'string') {
    if (Buffer.byteLength(value) > width) throw new RangeError(`${name}: "${value}" is too long`);
    return value;
  }
  const whole = String(Math.trunc(value)).length;
  if (whole > width) throw new RangeError(`${name}: ${value} is too long`);
  const places = Math.max(0, Math.min(decimals, width - whole - 1));
  return value.toFixed(places).padStart(width);
}

function measure(layer: ShapefileLayer): { count: number; bytes: number; box: Bounds } {
  let count = 0;
  let bytes = 0;
  let box = aroundAll([]);
  for (const { polygon } of layer.records()) {
    count++;
    bytes += RECORD_HEADER_BYTES + contentBytes(polygon);
    box = aroundBoth(box, boxOf(polygon));
  }
  return { count, bytes, box };
}

function contentBytes(polygon: Polygon): number {
  return POLYGON_BYTES + polygon.reduce((sum, ring) => sum + 4 + POINT_BYTES * ring.length, 0);
}

function typeOf({ isOfLines = false }: ShapefileLayer): number {
  return isOfLines ? LINE : POLYGON;
}

function header(layer: ShapefileLayer, fileBytes: number, box: Bounds): Uint8Array {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeInt32BE(9994, 0);
  head.writeInt32BE(fileBytes / 2, 24);
  head.writeInt32LE(1000, 28);
  head.writeInt32LE(typeOf(layer), 32);
  box.forEach((side, i) => {
    head.writeDoubleLE(side, 36 + 8 * i);
  });
  return head;
}

function shapeRecord(layer: ShapefileLayer, number: number, polygon: Polygon): Uint8Array {
  const bytes = contentBytes(polygon);
  const record = Buffer.alloc(RECORD_HEADER_BYTES + bytes);
  record.writeInt32BE(number, 0);
  record.writeInt32BE(bytes / 2, 4);
  record.writeInt32LE(typeOf(layer), 8);
  boxOf(polygon).forEach((side, i) => {
    record.writeDoubleLE(side, 12 + 8 * i);
  });
  record.writeInt32LE(polygon.length, 44);
  record.writeInt32LE(
    polygon.reduce((sum, ring) => sum + ring.length, 0),
    48,
  );
  let at = RECORD_HEADER_BYTES + POLYGON_BYTES;
  let points = 0;
  for (const ring of polygon) {
    record.writeInt32LE(points, at);
    points += ring.length;
    at += 4;
  }
  for (const [x, y] of polygon.flat()) {
    record.writeDoubleLE(x, at);
    record.writeDoubleLE(y, at + 8);
    at += POINT_BYTES;
  }
  return record;
}

function boxOf([outer]: Polygon): Bounds {
  return aroundAll(outer.map(([x, y]) => [x, y, x, y]));
}
