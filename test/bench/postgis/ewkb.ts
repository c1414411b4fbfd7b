import type { Area } from '../../../shards/geometry/polygon.ts';
import type { Degrees } from '../../../shards/units.ts';

const SRID = 4326;
const WITH_SRID = 0x20000000;
const [POINT, POLYGON, MULTI_POLYGON] = [1, 3, 6];

/** A point as PostGIS reads it from COPY: hexadecimal EWKB, little-endian. */
export function ewkbPoint(lon: Degrees, lat: Degrees): string {
  const bytes = Buffer.alloc(25);
  bytes.writeUInt8(1, 0);
  bytes.writeUInt32LE(POINT | WITH_SRID, 1);
  bytes.writeUInt32LE(SRID, 5);
  bytes.writeDoubleLE(lon, 9);
  bytes.writeDoubleLE(lat, 17);
  return bytes.toString('hex');
}

/** An area as PostGIS reads it from COPY, in hexadecimal EWKB: always a MultiPolygon. */
export function ewkbMultiPolygon({ polygons }: Area): string {
  const pieces = [header(MULTI_POLYGON | WITH_SRID), uint32(SRID), uint32(polygons.length)];
  for (const rings of polygons) {
    pieces.push(header(POLYGON), uint32(rings.length));
    for (const ring of rings) {
      pieces.push(uint32(ring.length), Buffer.from(Float64Array.from(ring.flat()).buffer));
    }
  }
  return Buffer.concat(pieces).toString('hex');
}

function header(type: number): Buffer {
  return Buffer.concat([Buffer.of(1), uint32(type)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
