import type { CellSketch } from './cell-sketch.ts';
import type { Park } from './city-plan.ts';

/** Distance from a street's centre line to a park's edge, in cells; eight metres. */
const INSET = 1 / 15;
const PATH = { highway: 'footway', surface: 'gravel' };
/** Tags of the two ways in which mappers draw an opening. */
const GATES = [{ barrier: 'gate', foot: 'yes' }, { entrance: 'yes' }] as const;

/**
 * Draws a park over several cells into the sketch of its south-west cell. Paths follow the lattice
 * lines that the streets leave out, from street to street, through a gate in the outline at either
 * end. A large park is a multipolygon, whose outline is two ways, with a lake cut out.
 */
export function drawPark(sketch: CellSketch, { width, height }: Park, name: string): void {
  let gates = 0;
  const gate = (x: number, y: number) => sketch.node(x, y, GATES[gates++ % GATES.length]);
  const columns = Array.from({ length: width - 1 }, (_, i) => i + 1);
  const rows = Array.from({ length: height - 1 }, (_, i) => i + 1);
  const [west, south, east, north] = [INSET, INSET, width - INSET, height - INSET];
  const southGates = columns.map((x) => gate(x, south));
  const northGates = columns.map((x) => gate(x, north));
  const westGates = rows.map((y) => gate(west, y));
  const eastGates = rows.map((y) => gate(east, y));

  for (const x of columns) {
    const inner = rows.map((y) => sketch.corner(x, y));
    const [from, to] = [southGates[x - 1], northGates[x - 1]];
    sketch.way([sketch.corner(x, 0), from, ...inner, to, sketch.corner(x, height)], PATH);
  }
  for (const y of rows) {
    const inner = columns.map((x) => sketch.corner(x, y));
    const [from, to] = [westGates[y - 1], eastGates[y - 1]];
    sketch.way([sketch.corner(0, y), from, ...inner, to, sketch.corner(width, y)], PATH);
  }

  const [southWest, southEast, northEast, northWest] = sketch.rectangle(west, south, east, north);
  const lower = [southWest, ...southGates, southEast, ...eastGates, northEast];
  const upper = [
    northEast,
    ...northGates.toReversed(),
    northWest,
    ...westGates.toReversed(),
    southWest,
  ];
  const tags = { leisure: 'park', name };
  if (width < 3) {
    sketch.area([...lower, ...upper.slice(1, -1)], tags);
    return;
  }
  const outer = [lower, upper].map((refs) => ({ way: sketch.way(refs), role: 'outer' }));
  const lake = sketch.rectangle(1.25, 1.25, 1.75, 1.75);
  const inner = { way: sketch.area(lake, { natural: 'water', water: 'pond' }), role: 'inner' };
  sketch.multipolygon([...outer, inner], tags);
}

/** Draws a park within one cell, with a path from corner to corner through its two gates. */
export function drawPocketPark(sketch: CellSketch, name: string): void {
  const [southWest, northEast] = [
    sketch.node(0.2, 0.2, GATES[0]),
    sketch.node(0.7, 0.75, GATES[1]),
  ];
  const outline = [southWest, sketch.node(0.7, 0.2), northEast, sketch.node(0.2, 0.75)];
  sketch.area(outline, { leisure: 'park', name });
  sketch.way([sketch.corner(0, 0), southWest, northEast, sketch.corner(1, 1)], PATH);
}

/** Draws nine crossings of footways in a yard that no street or path connects to. */
export function drawCourtyard(sketch: CellSketch): void {
  const steps = [0.4, 0.5, 0.6];
  const grid = steps.map((y) => steps.map((x) => sketch.node(x, y)));
  for (const row of grid) sketch.way(row, PATH);
  for (const x of steps.keys())
    sketch.way(
      grid.map((row) => row[x]),
      PATH,
    );
}
