import { addTo } from '../../shards/arrays/group-by.ts';
import { localDistance } from '../../shards/geometry/wgs84.ts';
import type { Metres } from '../../shards/units.ts';
import { leastCosts } from '../geo/least-costs.ts';
import { HILLS } from '../routing-parameters.ts';
import type { Slowdown } from './hills.ts';
import { BY_LENGTH, type Slopes, type StreetNetwork } from './network.ts';
import { isOffGround, RIDE, WALK } from './trait-bits.ts';

/** Ground heights at some points in metres; NaN where unknown. */
export type HeightsAt = (lon: Float64Array, lat: Float64Array) => Promise<Float64Array>;

interface MeasuredSlopes {
  readonly slopes: Slopes;
  /**
   * The share of the length of streets that are walked or ridden for which heights are known, 0 to
   * 1.
   */
  readonly known: number;
}

/**
 * Measures the slopes of edges: samples heights at both ends and in between, at least every
 * `HILLS.step`. Bridges and tunnels take the heights of their ends and are straight in between. A
 * street runs straight between known heights, and is level where heights are unknown on one side.
 */
export async function measureSlopes(
  network: StreetNetwork,
  heightsAt: HeightsAt,
): Promise<MeasuredSlopes> {
  const { vertexCount, edgeCount, length, from, to } = network;
  const firstStep = new Uint32Array(edgeCount + 1);
  const lon = Array.from(network.vertexLon);
  const lat = Array.from(network.vertexLat);
  /** Per edge, the index of the first height between its ends. */
  const firstBetween = new Uint32Array(edgeCount);
  for (let e = 0; e < edgeCount; e++) {
    const onGround = !isOffGround(network.traits[e]);
    const steps = !hasSlope(network, e) ? 0 : onGround ? Math.ceil(length[e] / HILLS.step) : 1;
    firstStep[e + 1] = firstStep[e] + steps;
    firstBetween[e] = lon.length;
    if (steps > 1) placeBetween(network, e, steps, lon, lat);
  }
  const heights = await heightsAt(Float64Array.from(lon), Float64Array.from(lat));
  const atVertices = heights.slice(0, vertexCount);
  spanBridges(network, atVertices);

  const grades = new Float32Array(firstStep[edgeCount]);
  let [all, known]: Metres[] = [0, 0];
  for (let e = 0; e < edgeCount; e++) {
    const steps = firstStep[e + 1] - firstStep[e];
    if (steps === 0) continue;
    const profile = new Float64Array(steps + 1);
    profile[0] = atVertices[from[e]];
    profile.set(heights.subarray(firstBetween[e], firstBetween[e] + steps - 1), 1);
    profile[steps] = atVertices[to[e]];
    all += length[e];
    known += length[e] * (profile.filter((height) => !Number.isNaN(height)).length / (steps + 1));
    bridgeVoids(profile);
    for (let step = 0; step < steps; step++) {
      const grade = (profile[step + 1] - profile[step]) / (length[e] / steps);
      grades[firstStep[e] + step] = Number.isNaN(grade)
        ? 0
        : Math.max(-HILLS.steepest, Math.min(HILLS.steepest, grade));
    }
  }
  return { slopes: { firstStep, grades }, known: all === 0 ? 0 : known / all };
}

/**
 * Returns the time along the first part of an edge, up to the fraction `until` (0 to 1) of its
 * length, as a multiple of the time along the whole edge on level ground.
 */
export function slowdownUntil(
  { firstStep, grades }: Slopes,
  edge: number,
  slowdown: Slowdown,
  isBackward: boolean,
  until: number,
): number {
  const steps = firstStep[edge + 1] - firstStep[edge];
  if (steps === 0) return until;
  let sum = 0;
  for (let step = 0; step < until * steps; step++) {
    const grade = grades[firstStep[edge] + step];
    sum += Math.min(1, until * steps - step) * slowdown(isBackward ? -grade : grade);
  }
  return sum / steps;
}

/** Whether an edge is traversed by muscle power. */
function hasSlope({ traits, length, fixedTime }: StreetNetwork, e: number): boolean {
  return (traits[e] & (WALK | RIDE)) !== 0 && length[e] > 0 && fixedTime[e] === BY_LENGTH;
}

/** Adds the locations between the steps of an edge. */
function placeBetween(
  { firstPoint, pointLon, pointLat, length }: StreetNetwork,
  e: number,
  steps: number,
  lon: number[],
  lat: number[],
): void {
  let before: Metres = 0;
  let step = 1;
  for (let p = firstPoint[e]; p < firstPoint[e + 1] - 1; p++) {
    const metres = localDistance(pointLon[p], pointLat[p], pointLon[p + 1], pointLat[p + 1]);
    const isLast = p === firstPoint[e + 1] - 2;
    for (; step < steps; step++) {
      const along = (length[e] * step) / steps - before;
      // The last piece takes the remainder from accumulated rounding.
      if (along > metres && !isLast) break;
      const part = metres === 0 ? 0 : Math.min(1, along / metres);
      lon.push(pointLon[p] + part * (pointLon[p + 1] - pointLon[p]));
      lat.push(pointLat[p] + part * (pointLat[p + 1] - pointLat[p]));
    }
    before += metres;
  }
}

/** Replaces NaN between two heights by linear interpolation, in place. */
function bridgeVoids(profile: Float64Array): void {
  let last = -1;
  for (let i = 0; i < profile.length; i++) {
    if (Number.isNaN(profile[i])) continue;
    for (let j = last + 1; last !== -1 && j < i; j++) {
      profile[j] = profile[last] + ((profile[i] - profile[last]) * (j - last)) / (i - last);
    }
    last = i;
  }
}

/**
 * Sets the heights of vertices on bridges or in tunnels, in place. Each is the mean of the heights
 * where the bridge or tunnel reaches the ground, weighted by the inverse of the distance, which
 * gives a straight line between two ends. A vertex is on the ground if at least as many streets on
 * the ground meet there as others, so stairs up to the middle of a bridge do not lower it.
 */
function spanBridges(network: StreetNetwork, heights: Float64Array): void {
  const { from, to, length, traits } = network;
  const surplus = new Int32Array(network.vertexCount);
  /** Bridges, tunnels, and zero-length barriers, by their ends. */
  const spans = new Map<number, (readonly [other: number, metres: Metres])[]>();
  for (let e = 0; e < network.edgeCount; e++) {
    const isBarrier = length[e] === 0;
    if (!isBarrier && !hasSlope(network, e)) continue;
    const isSpan = isBarrier || isOffGround(traits[e]);
    for (const [end, other] of [
      [from[e], to[e]],
      [to[e], from[e]],
    ]) {
      if (!isBarrier) surplus[end] += isSpan ? 1 : -1;
      if (isSpan) addTo(spans, end, [other, length[e]]);
    }
  }
  for (const vertex of spans.keys()) {
    if (surplus[vertex] <= 0) continue;
    const ends = endsOf(vertex);
    const atEnd = ends.find(({ metres }) => metres === 0);
    const weights = ends.map(({ metres }) => 1 / metres);
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const sum = ends.reduce((total, { height }, i) => total + weights[i] * height, 0);
    heights[vertex] = atEnd ? atEnd.height : sum / all;
  }

  /** Finds the points where the bridges from a vertex reach the ground, nearest first. */
  function endsOf(start: number) {
    const found: { metres: Metres; height: Metres }[] = [];
    leastCosts(start, (vertex, metres) => {
      if (surplus[vertex] > 0) return spans.get(vertex) ?? [];
      if (!Number.isNaN(heights[vertex])) found.push({ metres, height: heights[vertex] });
      return [];
    });
    return found.sort((a, b) => a.metres - b.metres || a.height - b.height);
  }
}
