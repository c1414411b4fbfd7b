/**
 * Parses positions from their coordinates as in well-known text: `positions('0 0, 9 0, 9 9, 0 0')`.
 */
export function positions(text: string): [number, number][] {
  return text.split(', ').map((position) => {
    const [x, y] = position.split(' ').map(Number);
    return [x, y];
  });
}

/** The ring of a box, counter-clockwise from its south-west corner. */
export function boxRing(
  west: number,
  south: number,
  east: number,
  north: number,
): [number, number][] {
  const [x, y] = [
    [west, east, east, west, west],
    [south, south, north, north, south],
  ];
  return x.map((lon, i) => [lon, y[i]]);
}

/** The ring of a square, clockwise from its south-west corner, like the shells of shapefiles. */
export function squareRing(x: number, y: number, side: number): [number, number][] {
  return boxRing(x, y, x + side, y + side).reverse();
}
