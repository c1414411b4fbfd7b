import { runToCompletion } from '../../shards/concurrency/run-to-completion.ts';
import { EdgeSet } from '../../shards/geometry/edge-set.ts';
import type { Rings } from '../../shards/geometry/rings.ts';
import { stateFipsOf } from '../../shards/states.ts';
import type { CountyFips } from '../../shards/units.ts';
import { type Arcs, OUTSIDE, pushAlong } from './block-arcs.ts';
import { ClassAreas } from './class-areas.ts';
import { PathList, type TileLines } from './path-list.ts';
import type { PyramidCounty } from './tile-pyramids.ts';

const LAND = 1;
const WATER = 2;

/** Land, water, and the lines between counties, derived from census blocks. */
export interface Ground {
  readonly land: Rings;
  readonly water: Rings;
  readonly countyLines: TileLines;
  readonly stateLines: TileLines;
}

/** Derives the ground of some counties. `arcs` are those of their blocks, fitted to a zoom. */
export function groundOf(
  fips: readonly CountyFips[],
  counties: readonly PyramidCounty[],
  arcs: readonly Arcs[],
): Ground {
  const classes = counties.map(({ index, isNear }) =>
    isNear.map((near, block) => (near === 0 ? 0 : index.landArea(block) === 0 ? WATER : LAND)),
  );
  const [land, water] = new ClassAreas(WATER).of(
    arcs.map((fitted, i) => ({ arcs: fitted, classes: classes[i] })),
  );
  return { land, water, ...boundaries(fips, arcs, classes) };
}

/**
 * Returns the lines that counties share with each other, and the parts on land of the line around
 * all counties. Adjacent counties have the same edges on shared lines, in opposite directions.
 */
function boundaries(
  fips: readonly CountyFips[],
  arcs: readonly Arcs[],
  classes: readonly Uint8Array[],
): Pick<Ground, 'countyLines' | 'stateLines'> {
  const edges = new EdgeSet();
  const county: number[] = [];
  const ground: number[] = [];
  arcs.forEach((fitted, i) => {
    for (let arc = 0; arc < fitted.count; arc++) {
      if (fitted.outside[arc] !== OUTSIDE) continue;
      pushAlong(edges, fitted, fitted.firstPoint[arc], fitted.firstPoint[arc + 1]);
      while (county.length < edges.length) {
        county.push(i);
        ground.push(classes[i][fitted.inside[arc]]);
      }
    }
  });
  const opposite = runToCompletion(edges.oppositeSteps());
  const [countyLines, stateLines] = [new PathList(), new PathList()];
  for (let edge = 0; edge < edges.length; edge++) {
    const other = opposite[edge] - 1;
    const isShared = other !== -1;
    if (isShared ? other < edge : ground[edge] === WATER) continue;
    const isWithinState =
      !isShared || stateFipsOf(fips[county[edge]]) === stateFipsOf(fips[county[other]]);
    const lines = isWithinState ? countyLines : stateLines;
    lines.add(edges.ax[edge], edges.ay[edge]);
    lines.add(edges.bx[edge], edges.by[edge]);
    lines.end();
  }
  return { countyLines: countyLines.rings(), stateLines: stateLines.rings() };
}
