import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import type { Polygon, Ring } from '../../shards/geometry/polygon.ts';
import { Problem } from '../http/problem.ts';
import { POLYGON_LIMITS, REQUEST_LIMITS } from '../http/request-limits.ts';
import { acceptsParameters } from '../http/validation.ts';
import { invalidPolygon } from '../queries/areas/drawn-area.ts';
import { optional } from './field.ts';
import { isObject } from './kinds.ts';

const MEMBERS = ['type', 'coordinates', 'bbox'];
/** GeoJSON wrappers around a geometry, and what to send instead. */
const WRAPPERS: ReadonlyMap<unknown, string> = new Map([
  ['Feature', 'send its geometry'],
  ['FeatureCollection', 'send the geometry of one of its features'],
]);

const position: oas31.SchemaObject = {
  type: 'array',
  items: { type: 'number' },
  minItems: 2,
  maxItems: 3,
};
const ring: oas31.SchemaObject = { type: 'array', items: position, minItems: 4 };
const rings: oas31.SchemaObject = { type: 'array', items: ring, minItems: 1 };

/**
 * Parses the polygons of a GeoJSON Polygon or MultiPolygon. Any other shape is `invalid-geometry`;
 * too many vertices, counted before any is read, is `polygon-too-complex`. A `bbox` is ignored.
 */
const geoJson = z
  .unknown()
  .transform((value, context): Polygon[] => {
    if (!isObject(value))
      throw invalidPolygon(`it is not an object such as {"type":"Polygon","coordinates":[…]}`);
    // Another type has other members, so the type is the error to report.
    if ('type' in value) checkType(value.type);
    const unknown = Object.keys(value).filter((name) => !MEMBERS.includes(name));
    if (unknown.length > 0) {
      const message = `unknown member; polygon ${acceptsParameters(MEMBERS)}`;
      context.issues.push({ code: 'unrecognized_keys', keys: unknown, message, input: value });
      return z.NEVER;
    }
    return polygonsOf(value);
  })
  .meta({
    override: {
      oneOf: [shapeOf('Polygon', rings), shapeOf('MultiPolygon', { type: 'array', items: rings })],
    },
  });

export const polygon = optional(
  { json: geoJson },
  { description: `GeoJSON, WGS84; at most ${POLYGON_LIMITS}.` },
);

function shapeOf(type: string, coordinates: oas31.SchemaObject): oas31.SchemaObject {
  return {
    type: 'object',
    properties: { type: { type: 'string', const: type }, coordinates, bbox: {} },
    required: ['type', 'coordinates'],
    additionalProperties: false,
  };
}

function polygonsOf({ type, coordinates }: Readonly<Record<string, unknown>>): Polygon[] {
  checkType(type);
  const polygons = arrayOf(type === 'Polygon' ? [coordinates] : coordinates, 'coordinates');
  const rings = polygons.map((polygon) => arrayOf(polygon, 'a polygon'));
  checkVertices(rings);
  return rings.map((polygon) => polygon.map((ring) => arrayOf(ring, 'a ring').map(positionOf)));
}

function checkType(type: unknown): void {
  if (type === 'Polygon' || type === 'MultiPolygon') return;
  const wanted = WRAPPERS.get(type);
  if (wanted) throw invalidPolygon(`it is a GeoJSON ${type}; ${wanted}`);
  throw invalidPolygon('its type must be Polygon or MultiPolygon');
}

/** Counts vertices, excluding the repeated end of each ring. */
function checkVertices(polygons: readonly (readonly unknown[])[]): void {
  let vertices = 0;
  for (const ring of polygons.flat()) {
    vertices += Array.isArray(ring) ? Math.max(0, ring.length - 1) : 0;
  }
  if (vertices <= REQUEST_LIMITS.vertices) return;
  throw new Problem(
    'polygon-too-complex',
    `the polygon has more than ${REQUEST_LIMITS.vertices} vertices; simplify it`,
  );
}

function positionOf(value: unknown): Ring[number] {
  const isPosition =
    Array.isArray(value) &&
    (value.length === 2 || value.length === 3) &&
    value.every((part) => typeof part === 'number');
  if (isPosition) return [value[0], value[1]];
  throw invalidPolygon('a position must be two or three numbers, longitude first');
}

function arrayOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalidPolygon(`${name} must be an array`);
}
