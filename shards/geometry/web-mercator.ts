import type { Degrees } from '../units.ts';

// Spherical Mercator, the projection of all web maps (EPSG:3857), as fractions of the world's side.

/** Distance from the west edge of the world. */
export function worldX(lon: Degrees): number {
  return (lon + 180) / 360;
}

/** Distance from the north edge of the world. */
export function worldY(lat: Degrees): number {
  return 0.5 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / (2 * Math.PI);
}

export function lonOf(x: number): Degrees {
  return x * 360 - 180;
}

export function latOf(y: number): Degrees {
  return (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI;
}
