import type { BoundingBox } from '../../shards/units.ts';
import { CellSketch, nodeIdInCell } from './cell-sketch.ts';
import { BAY_DEPTH, type CityPlan } from './city-plan.ts';
import type { Cell } from './lattice.ts';
import { neighbourhoodName, parkName, type StreetNames } from './names.ts';
import type { OsmContent } from './osm-elements.ts';
import { drawCourtyard, drawPark, drawPocketPark } from './parks.ts';
import { drawHome, drawPlainGridPlaces, placesAtRandom } from './poi-placement.ts';
import { Random } from './seeded-random.ts';
import { cornerNodeId, cornerTags, streetWays } from './streets.ts';
import { stopDrawing, type TransitPlan } from './transit-plan.ts';

/** The motorway's two carriageways, in cells from the west side of its column. */
const CARRIAGEWAYS = [0.45, 0.55] as const;
const MOTORWAY = {
  highway: 'motorway',
  ref: 'I 99',
  name: 'Meridian Expressway',
  oneway: 'yes',
  lanes: '3',
  maxspeed: '65 mph',
  bridge: 'viaduct',
  layer: '2',
};
/** Share of cells with a dead-end street. */
const CLOSE_SHARE = 0.12;
const STREAM = { closes: 0xc1 };

/** Margin of the box beyond the corners of the city, since the lattice bends outwards in places. */
const BOX_MARGIN_DEGREES = 0.005;

export function osmCity(plan: CityPlan, names: StreetNames, transit: TransitPlan): OsmContent {
  const draw = cellDrawing(plan, names, transit);
  function* sketches(): Generator<CellSketch> {
    for (let row = 0; row < plan.rows; row++) {
      for (let column = 0; column < plan.columns; column++) yield draw({ column, row });
    }
  }
  return {
    box: boxOf(plan),
    *nodes() {
      for (let row = 0; row <= plan.rows; row++) {
        for (let column = 0; column <= plan.columns; column++) {
          const [lon, lat] = plan.lattice.degrees(column, row);
          yield {
            id: cornerNodeId(plan, column, row),
            lon,
            lat,
            tags: cornerTags(plan, column, row),
          };
        }
      }
      for (const { nodes } of sketches()) yield* nodes;
    },
    *ways() {
      yield* streetWays(plan, names);
      for (const { ways } of sketches()) yield* ways;
    },
    *relations() {
      for (const { relations } of sketches()) yield* relations;
    },
  };
}

function cellDrawing(plan: CityPlan, names: StreetNames, transit: TransitPlan) {
  const drawPlaces = placesAtRandom(plan, names);
  const drawStops = stopDrawing(transit);
  return (cell: Cell): CellSketch => {
    const sketch = new CellSketch(plan, cell);
    const use = plan.useOf(cell);
    // The motorway comes first, because its ways refer to nodes by their position in the cell.
    if (use.kind === 'motorway') drawMotorway(plan, sketch, cell);
    drawPlainGridPlaces(plan, names, sketch, cell);
    if (use.kind === 'built') {
      drawPlaces(sketch, cell);
      drawClose(plan, sketch, cell);
    } else if (use.kind === 'home') {
      drawHome(plan, names, sketch, cell, use);
    } else if (use.kind === 'park') {
      const { park } = use;
      const isFirst = park.column === cell.column && park.row === cell.row;
      if (isFirst) drawPark(sketch, park, parkName(plan, cell));
    } else if (use.kind === 'pocket-park') {
      drawPocketPark(sketch, parkName(plan, cell));
    } else if (use.kind === 'courtyard') {
      drawCourtyard(sketch);
    }
    drawStops(sketch, cell);
    drawNeighbourhood(plan, sketch, cell);
    return sketch;
  };
}

/**
 * Draws a node per carriageway in each cell of the motorway, and the ways themselves in the last
 * cell.
 */
function drawMotorway(plan: CityPlan, sketch: CellSketch, { row }: Cell): void {
  for (const x of CARRIAGEWAYS) sketch.node(x, 0.5);
  if (row !== plan.rows - 1) return;
  const cells = Array.from({ length: plan.rows }, (_, i) => i).filter((i) => i !== plan.riverRow);
  const [southbound, northbound] = CARRIAGEWAYS.map((_, n) =>
    cells.map((i) => nodeIdInCell(plan, { column: plan.motorwayColumn, row: i }, n)),
  );
  sketch.way(southbound.toReversed(), MOTORWAY);
  sketch.way(northbound, MOTORWAY);
}

/** Draws a dead end from the south street of a cell into some cells. */
function drawClose(plan: CityPlan, sketch: CellSketch, { column, row }: Cell): void {
  const random = new Random(plan.seed, STREAM.closes, column, row);
  if (!random.chance(CLOSE_SHARE)) return;
  const bend = sketch.node(0.5, random.between(0.3, 0.4));
  const end = sketch.node(random.between(0.4, 0.6), 0.6);
  const tags = { highway: 'service', service: 'driveway', surface: 'paved' };
  sketch.way([sketch.corner(0, 0), bend, end], tags);
}

/** Side of a neighbourhood, in cells. */
const NEIGHBOURHOOD = 12;

function drawNeighbourhood(plan: CityPlan, sketch: CellSketch, { column, row }: Cell): void {
  const middle = NEIGHBOURHOOD / 2;
  if (column % NEIGHBOURHOOD !== middle || row % NEIGHBOURHOOD !== middle) return;
  const inRow = Math.ceil(plan.columns / NEIGHBOURHOOD);
  const n = Math.floor(row / NEIGHBOURHOOD) * inRow + Math.floor(column / NEIGHBOURHOOD);
  sketch.node(0.5, 0.5, { place: 'neighbourhood', name: neighbourhoodName(plan, n) });
}

/** The extent of city and bay, which contains all elements. */
function boxOf(plan: CityPlan): BoundingBox {
  const [minLon, minLat] = plan.lattice.degrees(0, -BAY_DEPTH);
  const [maxLon, maxLat] = plan.lattice.degrees(plan.columns, plan.rows);
  return {
    minLon: minLon - BOX_MARGIN_DEGREES,
    minLat: minLat - BOX_MARGIN_DEGREES,
    maxLon: maxLon + BOX_MARGIN_DEGREES,
    maxLat: maxLat + BOX_MARGIN_DEGREES,
  };
}
