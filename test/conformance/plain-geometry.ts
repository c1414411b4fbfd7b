/** A polygon: its outer ring, then its holes; closed rings of [lon, lat]. */
export type Rings = readonly (readonly (readonly number[])[])[];

const EARTH_METRES = 6_371_008.8;

/**
 * Whether a point is inside polygons, by counting the edges that a ray to the east crosses, in
 * plain doubles: unreliable for points within a rounding error of a border.
 */
export function isInside(polygons: readonly Rings[], lon: number, lat: number): boolean {
  let inside = false;
  for (const ring of polygons.flat()) {
    for (let i = 1; i < ring.length; i++) {
      const [x1, y1] = ring[i - 1];
      const [x2, y2] = ring[i];
      if (y1 > lat !== y2 > lat && lon < x1 + ((lat - y1) / (y2 - y1)) * (x2 - x1)) {
        inside = !inside;
      }
    }
  }
  return inside;
}

/** Degrees from a point to the nearest edge, on a flat plane: detects points near a border. */
export function degreesToBorder(polygons: readonly Rings[], lon: number, lat: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const ring of polygons.flat()) {
    for (let i = 1; i < ring.length; i++) {
      const [x1, y1] = ring[i - 1];
      const [dx, dy] = [ring[i][0] - x1, ring[i][1] - y1];
      const along = ((lon - x1) * dx + (lat - y1) * dy) / (dx * dx + dy * dy || 1);
      const t = Math.min(1, Math.max(0, along));
      nearest = Math.min(nearest, Math.hypot(x1 + t * dx - lon, y1 + t * dy - lat));
    }
  }
  return nearest;
}

/** Great-circle metres on a sphere, by the haversine formula. */
export function metresBetween(
  from: { readonly lon: number; readonly lat: number },
  to: { readonly lon: number; readonly lat: number },
): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const h =
    Math.sin(radians(to.lat - from.lat) / 2) ** 2 +
    Math.cos(radians(from.lat)) *
      Math.cos(radians(to.lat)) *
      Math.sin(radians(to.lon - from.lon) / 2) ** 2;
  return 2 * EARTH_METRES * Math.asin(Math.sqrt(h));
}
