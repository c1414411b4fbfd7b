import { runToCompletion } from '../concurrency/run-to-completion.ts';
import { MICRO, type SquareMetres } from '../units.ts';
import { EdgeSet } from './edge-set.ts';
import { nestRings } from './nest-rings.ts';
import { walkRings } from './ring-walk.ts';
import type { Rings } from './rings.ts';
import type { SharedBorders } from './shared-borders.ts';
import { splitAtPoints } from './split-edges.ts';

/** Some of the areas of a county: ordinals in `outlines`, each at most once. */
export interface DissolvePart {
  readonly outlines: Rings;
  readonly areas: Uint32Array;
  /** Precomputed borders among these outlines, if available: skips the inner borders. */
  readonly borders?: SharedBorders;
}

/** Metres per micro-degree of a great circle, on a sphere of the earth's mean radius. */
const METRES_PER_MICRO_DEGREE = (6_371_008.8 * Math.PI) / 180 / MICRO;
const RADIANS_PER_MICRO_DEGREE = Math.PI / 180 / MICRO;

/**
 * Union of areas that tile the ground, across counties too: borders between two of them cancel and
 * the rest is joined into rings. Each resulting area is one valid polygon in the sense of OGC
 * Simple Features: the first ring is the shell, counter-clockwise, the others are its holes,
 * clockwise (RFC 7946). Holes smaller than `fillHolesBelow` are filled. Linear in the number of
 * points.
 */
export function dissolve(parts: readonly DissolvePart[], fillHolesBelow: SquareMetres): Rings {
  return runToCompletion(dissolveSteps(parts, fillHolesBelow));
}

const AREAS_PER_STEP = 512;

/** `dissolve` in steps, for callers with other work to do. */
export function* dissolveSteps(
  parts: readonly DissolvePart[],
  fillHolesBelow: SquareMetres,
): Generator<undefined, Rings, undefined> {
  let edges = new EdgeSet();
  for (const { outlines, areas, borders } of parts) {
    const members = borders?.members(areas);
    for (let i = 0; i < areas.length; i++) {
      if (borders) borders.pushBorder(edges, outlines, areas[i], members!);
      else pushArea(edges, outlines, areas[i]);
      if (i % AREAS_PER_STEP === AREAS_PER_STEP - 1) yield;
    }
  }
  yield* edges.cancelSteps();
  yield;
  const split = splitAtPoints(edges);
  yield;
  if (split !== edges) {
    edges = split;
    edges.cancelOpposites();
  }
  const rings = walkRings(edges);
  yield;
  return nestRings(rings, (ring) => {
    const cosine = Math.cos(rings.y[rings.firstPoint[ring]] * RADIANS_PER_MICRO_DEGREE);
    const squareMetres = METRES_PER_MICRO_DEGREE ** 2 * cosine;
    return (-rings.twiceArea[ring] / 2) * squareMetres < fillHolesBelow;
  });
}

function pushArea(edges: EdgeSet, { firstRing, firstPoint, x, y }: Rings, area: number): void {
  for (let r = firstRing[area]; r < firstRing[area + 1]; r++) {
    const end = firstPoint[r + 1];
    edges.reserve(end - firstPoint[r]);
    let previous = end - 1;
    for (let i = firstPoint[r]; i < end; previous = i++) {
      edges.push(x[previous], y[previous], x[i], y[i]);
    }
  }
}
