import type { Codec } from './members.ts';

export interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** A point as `latitude,longitude`. */
export const pointCodec: Codec<Point> = {
  read: (text) => readPoint(text.split(',')),
  write: ({ lat, lon }) => `${degrees(lat)},${degrees(lon)}`,
};

/** Reads latitude and longitude; undefined outside what a web map shows. */
export function readPoint(parts: readonly string[]): Point | undefined {
  const [lat, lon] = parts.map((part) => (/^-?\d/.test(part) ? Number(part) : Number.NaN));
  const isPoint = parts.length === 2 && Math.abs(lat) <= 85 && Math.abs(lon) <= 180;
  return isPoint ? { lat, lon } : undefined;
}

/** Rounds to six decimals: a tenth of a metre. */
export function degrees(value: number): number {
  return +value.toFixed(6);
}
