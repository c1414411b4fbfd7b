import { z } from 'zod';
import { pointInside } from '../../shards/geometry/planar.ts';
import type { Degrees } from '../../shards/units.ts';

const position = z
  .tuple([z.number().min(-180).max(180), z.number().min(-90).max(90)], z.number())
  .transform(([lon, lat]) => [lon, lat] as const);
const polygon = z.array(z.array(position).min(4)).min(1);

const geometry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('Point'), coordinates: position }),
  z.object({ type: z.literal('Polygon'), coordinates: polygon }),
  z.object({ type: z.literal('MultiPolygon'), coordinates: z.array(polygon).min(1) }),
]);

/**
 * The location of a POI: its point, or a point inside its polygons. Null for other geometries and
 * for invalid coordinates.
 */
export function locationOf(value: unknown): { lon: Degrees; lat: Degrees } | null {
  const { success, data } = geometry.safeParse(value);
  if (!success) return null;
  const [lon, lat] =
    data.type === 'Point'
      ? data.coordinates
      : pointInside(data.type === 'Polygon' ? [data.coordinates] : data.coordinates);
  return { lon, lat };
}
