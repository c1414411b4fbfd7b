import { Builder } from 'flatbuffers';
import { Column } from 'flatgeobuf/lib/mjs/flat-geobuf/column.js';
import { ColumnType } from 'flatgeobuf/lib/mjs/flat-geobuf/column-type.js';
import { Crs } from 'flatgeobuf/lib/mjs/flat-geobuf/crs.js';
import { GeometryType } from 'flatgeobuf/lib/mjs/flat-geobuf/geometry-type.js';
import { Header } from 'flatgeobuf/lib/mjs/flat-geobuf/header.js';
import { buildFeature } from 'flatgeobuf/lib/mjs/generic/feature.js';
import type { HeaderMeta } from 'flatgeobuf/lib/mjs/header-meta.js';
import type { Area, Polygon } from '../geometry/polygon.ts';
import type { Degrees } from '../units.ts';

/**
 * A feature of a FlatGeobuf layer. The features of one layer are either all areas or all points.
 */
export interface FgbFeature {
  readonly geometry: Area | LonLat;
  readonly properties: Readonly<Record<string, string | number | boolean | null>>;
}

export interface LonLat {
  readonly lon: Degrees;
  readonly lat: Degrees;
}

const COLUMN_TYPES = {
  string: ColumnType.String,
  boolean: ColumnType.Bool,
  int32: ColumnType.Int,
  uint32: ColumnType.UInt,
  int64: ColumnType.Long,
  double: ColumnType.Double,
} as const;

export type FgbColumnType = keyof typeof COLUMN_TYPES;

export interface FgbColumn {
  readonly name: string;
  readonly type: FgbColumnType;
  readonly description?: string;
}

export interface FgbLayer {
  readonly name: string;
  readonly isOfPoints: boolean;
  readonly columns: readonly FgbColumn[];
  /** Number of features; 0 if there are none, or if the number is not known. */
  readonly count: number;
  /** West, south, east and north edge; empty if not known. */
  readonly envelope: readonly number[];
  /** Maximum number of children per node of the index; 0 without an index. */
  readonly nodeSize: number;
  readonly description?: string;
  /** Further facts, as JSON in the header. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const MAGIC = Uint8Array.of(0x66, 0x67, 0x62, 0x03, 0x66, 0x67, 0x62, 0x00);
const WGS84 = 4326;

/** Encodes the beginning of a FlatGeobuf 3 file, up to its index. */
export function encodeHeader(layer: FgbLayer): Uint8Array {
  const { name, isOfPoints, columns, count, envelope, nodeSize, description, metadata } = layer;
  const builder = new Builder();
  const text = (value: string | undefined) => (value ? builder.createString(value) : 0);
  const columnOffsets = columns.map((column) => {
    const name = builder.createString(column.name);
    const description = text(column.description);
    Column.startColumn(builder);
    Column.addName(builder, name);
    Column.addType(builder, COLUMN_TYPES[column.type]);
    if (description) Column.addDescription(builder, description);
    return Column.endColumn(builder);
  });
  const columnVector = Header.createColumnsVector(builder, columnOffsets);
  const nameOffset = builder.createString(name);
  const envelopeVector = Header.createEnvelopeVector(builder, [...envelope]);
  const descriptionOffset = text(description);
  const metadataOffset = text(metadata && JSON.stringify(metadata));
  Crs.startCrs(builder);
  Crs.addCode(builder, WGS84);
  const crs = Crs.endCrs(builder);
  Header.startHeader(builder);
  Header.addName(builder, nameOffset);
  Header.addEnvelope(builder, envelopeVector);
  Header.addGeometryType(builder, geometryType(isOfPoints));
  Header.addColumns(builder, columnVector);
  Header.addFeaturesCount(builder, BigInt(count));
  Header.addIndexNodeSize(builder, nodeSize);
  Header.addCrs(builder, crs);
  if (descriptionOffset) Header.addDescription(builder, descriptionOffset);
  if (metadataOffset) Header.addMetadata(builder, metadataOffset);
  builder.finishSizePrefixed(Header.endHeader(builder));
  return Buffer.concat([MAGIC, builder.asUint8Array()]);
}

/** Encodes the features of a layer; null properties are left out. */
export class FeatureEncoder {
  readonly #meta: HeaderMeta;

  constructor({ isOfPoints, columns, count, nodeSize }: FgbLayer) {
    this.#meta = {
      geometryType: geometryType(isOfPoints),
      columns: columns.map(({ name, type }) => ({
        name,
        type: COLUMN_TYPES[type],
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
      featuresCount: count,
      indexNodeSize: nodeSize,
      crs: null,
      title: null,
      description: null,
      metadata: null,
    };
  }

  encode({ geometry, properties }: FgbFeature): Uint8Array {
    return buildFeature(geometryOf(geometry), properties, this.#meta);
  }
}

function geometryType(isOfPoints: boolean): GeometryType {
  return isOfPoints ? GeometryType.Point : GeometryType.MultiPolygon;
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
