import type { AddressRange } from '../../../shards/addresses/address-table.ts';
import { geoidFromNumber } from '../../../shards/geoid.ts';
import { localDistance } from '../../../shards/geometry/wgs84.ts';
import { type Metres, MICRO, type MicroDegrees } from '../../../shards/units.ts';
import type { Match } from './street-matches.ts';

/** Farthest that the sides of two streets are apart where they cross. */
const CROSSING: Metres = 30;
/** Crossings nearer to each other than this are one, of the lanes of a wide street. */
const APART: Metres = 150;
/** Side of the squares that points are sorted into, over `CROSSING` to the north and east. */
const SQUARE: MicroDegrees = 600;

interface Vertex {
  readonly x: MicroDegrees;
  readonly y: MicroDegrees;
  readonly range: AddressRange;
}

/** The points where two streets meet, and the block there with the lowest GEOID. */
export function crossings(
  own: readonly AddressRange[],
  other: readonly AddressRange[],
): Pick<Match, 'lat' | 'lon' | 'geoid'>[] {
  const squares = new Map<string, Vertex[]>();
  for (const vertex of verticesOf(own)) {
    const square = squareOf(vertex.x, vertex.y);
    squares.set(square, [...(squares.get(square) ?? []), vertex]);
  }
  const found: Vertex[][] = [];
  for (const { x, y, range } of verticesOf(other)) {
    for (const near of around(x, y).flatMap((square) => squares.get(square) ?? [])) {
      if (metresBetween(near, { x, y }) > CROSSING) continue;
      const middle = { x: (near.x + x) / 2, y: (near.y + y) / 2 };
      const both = [near.range, range].map((one) => ({ ...middle, range: one }));
      const known = found.find(([first]) => metresBetween(first, middle) < APART);
      if (known) known.push(...both);
      else found.push(both);
    }
  }
  return found.map((vertices) => {
    const mean = (of: (vertex: Vertex) => number) =>
      Math.round(vertices.reduce((sum, vertex) => sum + of(vertex), 0) / vertices.length) / MICRO;
    const lowest = Math.min(...vertices.map(({ range }) => range.geoid));
    return { lat: mean(({ y }) => y), lon: mean(({ x }) => x), geoid: geoidFromNumber(lowest) };
  });
}

function* verticesOf(ranges: readonly AddressRange[]): Generator<Vertex> {
  for (const range of ranges) {
    if (range.x.length === 1) continue;
    for (let i = 0; i < range.x.length; i++) yield { x: range.x[i], y: range.y[i], range };
  }
}

function squareOf(x: MicroDegrees, y: MicroDegrees): string {
  return `${Math.floor(x / SQUARE)} ${Math.floor(y / SQUARE)}`;
}

function around(x: MicroDegrees, y: MicroDegrees): string[] {
  const steps = [-SQUARE, 0, SQUARE];
  return steps.flatMap((dx) => steps.map((dy) => squareOf(x + dx, y + dy)));
}

function metresBetween(a: Pick<Vertex, 'x' | 'y'>, b: Pick<Vertex, 'x' | 'y'>): Metres {
  return localDistance(a.x / MICRO, a.y / MICRO, b.x / MICRO, b.y / MICRO);
}
