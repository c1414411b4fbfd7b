import { Builder } from 'flatbuffers';
import { Column } from 'flatgeobuf/lib/mjs/flat-geobuf/column.js';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { Crs } from 'flatgeobuf/lib/mjs/flat-geobuf/crs.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js';
import { buildFeature } from 'flatgeobuf/lib/mjs/generic/feature.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import { hilbertOrder } from '../geometry/hilbert.ts';
import type { Area, Polygon } from '../geometry/polygon.ts';
import type { Degrees } from '../units.ts';
import { NODE_BYTES } from './flat-geobuf-view.ts';

/** A feature of a FlatGeobuf layer: an area or a point, the same for the whole layer. */
export interface FgbFeature {
  readonly geometry: Area | LonLat;
  readonly properties: Readonly<Record<string, string | number | null>>;
}

interface LonLat {
  readonly lon: Degrees;
  readonly lat: Degrees;
}

export interface FgbColumn {
  readonly name: string;
  readonly type: 'string' | 'integer';
}

const MAGIC = Uint8Array.of(0x66, 0x67, 0x62, 0x03, 0x66, 0x67, 0x62, 0x00);
const NODE_SIZE = 16;
const WGS84 = 4326;

/**
 * Writes a layer of areas or points as FlatGeobuf 3 with its packed Hilbert R-tree, so that readers
 * can fetch by box. The library's own writer creates no index. The tree follows the specification:
 * levels from the root down, each node a box and the offset of its first child or its feature.
 */
export function writeFlatGeobuf(
  layer: string,
  columns: readonly FgbColumn[],
  features: readonly FgbFeature[],
): Uint8Array {
  const boxes = features.map((feature) => boxOf(feature.geometry));
  const order = hilbertOrder(
    Float64Array.from(boxes, (box) => (box[0] + box[2]) / 2),
    Float64Array.from(boxes, (box) => (box[1] + box[3]) / 2),
  );
  const type =
    features.length > 0 && 'lon' in features[0].geometry
      ? GeometryType.Point
      : GeometryType.MultiPolygon;
  const meta = headerMeta(type, columns, features.length);
  const encoded = Array.from(order, (i) =>
    buildFeature(geometryOf(features[i].geometry), features[i].properties, meta),
  );
  const header = buildHeader(layer, type, columns, features.length, enclose(boxes));
  const tree = packTree(
    Array.from(order, (i) => boxes[i]),
    encoded.map((bytes) => bytes.length),
  );
  return Buffer.concat([MAGIC, header, tree, ...encoded]);
}

type Box = readonly [minX: number, minY: number, maxX: number, maxY: number];

function enclose(boxes: readonly Box[]): Box {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    minX = Math.min(minX, box[0]);
    minY = Math.min(minY, box[1]);
    maxX = Math.max(maxX, box[2]);
    maxY = Math.max(maxY, box[3]);
  }
  return [minX, minY, maxX, maxY];
}

function boxOf(geometry: Area | LonLat): Box {
  if ('lon' in geometry) return [geometry.lon, geometry.lat, geometry.lon, geometry.lat];
  return enclose(geometry.polygons.flatMap((rings) => rings[0].map(([x, y]): Box => [x, y, x, y])));
}

function geometryOf(geometry: Area | LonLat) {
  const parsed =
    'lon' in geometry
      ? { type: GeometryType.Point, xy: [geometry.lon, geometry.lat] }
      : { type: GeometryType.MultiPolygon, parts: geometry.polygons.map(polygonPart) };
  return parsed as unknown as Parameters<typeof buildFeature>[0];
}

function polygonPart(rings: Polygon) {
  const xy = rings.flat(2);
  let end = 0;
  const ends = rings.map((ring) => {
    end += ring.length;
    return end;
  });
  return { type: GeometryType.Polygon, xy, ends };
}

function columnType(column: FgbColumn): ColumnType {
  return column.type === 'string' ? ColumnType.String : ColumnType.Long;
}

function headerMeta(
  geometryType: GeometryType,
  columns: readonly FgbColumn[],
  featuresCount: number,
): HeaderMeta {
  return {
    geometryType,
    columns: columns.map((column) => ({
      name: column.name,
      type: columnType(column),
      title: null,
      description: null,
      width: -1,
      precision: -1,
      scale: -1,
      nullable: true,
      unique: false,
      primary_key: false,
    })),
    envelope: null,
    featuresCount,
    indexNodeSize: NODE_SIZE,
    crs: null,
    title: null,
    description: null,
    metadata: null,
  };
}

function buildHeader(
  layer: string,
  type: GeometryType,
  columns: readonly FgbColumn[],
  count: number,
  envelope: Box,
): Uint8Array {
  const builder = new Builder();
  const columnOffsets = columns.map((column) => {
    const name = builder.createString(column.name);
    Column.startColumn(builder);
    Column.addName(builder, name);
    Column.addType(builder, columnType(column));
    return Column.endColumn(builder);
  });
  const columnVector = Header.createColumnsVector(builder, columnOffsets);
  const name = builder.createString(layer);
  const envelopeVector = Header.createEnvelopeVector(builder, count === 0 ? [] : [...envelope]);
  Crs.startCrs(builder);
  Crs.addCode(builder, WGS84);
  const crs = Crs.endCrs(builder);
  Header.startHeader(builder);
  Header.addName(builder, name);
  Header.addEnvelope(builder, envelopeVector);
  Header.addGeometryType(builder, type);
  Header.addColumns(builder, columnVector);
  Header.addFeaturesCount(builder, BigInt(count));
  Header.addIndexNodeSize(builder, count === 0 ? 0 : NODE_SIZE);
  Header.addCrs(builder, crs);
  builder.finishSizePrefixed(Header.endHeader(builder));
  return builder.asUint8Array();
}

/** Packs boxes, already in curve order, into levels of `NODE_SIZE` children; leaves come last. */
function packTree(boxes: readonly Box[], lengths: readonly number[]): Uint8Array {
  if (boxes.length === 0) return new Uint8Array(0);
  let offset = 0;
  const leaves = boxes.map((box, i) => {
    const node = { box, offset };
    offset += lengths[i];
    return node;
  });
  const levels: { box: Box; offset: number }[][] = [leaves];
  do {
    const below = levels[0];
    const level: { box: Box; offset: number }[] = [];
    for (let i = 0; i < below.length; i += NODE_SIZE) {
      const children = below.slice(i, i + NODE_SIZE);
      level.push({ box: enclose(children.map((child) => child.box)), offset: i });
    }
    levels.unshift(level);
  } while (levels[0].length > 1);
  const out = Buffer.alloc(levels.reduce((sum, level) => sum + level.length, 0) * NODE_BYTES);
  let at = 0;
  let levelStart = 0;
  for (const level of levels) {
    const childrenStart = levelStart + level.length;
    const isLeaf = level === leaves;
    for (const node of level) {
      node.box.forEach((value, i) => {
        out.writeDoubleLE(value, at + i * 8);
      });
      const points = isLeaf ? node.offset : childrenStart + node.offset;
      out.writeBigUInt64LE(BigInt(points), at + 32);
      at += NODE_BYTES;
    }
    levelStart = childrenStart;
  }
  return out;
}
