import { basename } from 'node:path';
import type { Area, Ring } from '../../shards/geometry/polygon.ts';
import {
  boxAroundBoth,
  boxesMeet,
  boxOf,
  bufferBox,
  EVERYWHERE,
} from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, Metres, Millis } from '../../shards/units.ts';
import { headerOfPbf } from '../osm/pbf.ts';
import { outlineOf } from './outline.ts';

/** What a file claims to be, by its header and the polygon beside it. */
export interface ExtractCoverage {
  /** The last part of its path. */
  readonly name: string;
  /** Where it claims to hold everything; null when it does not say. */
  readonly box: BoundingBox | null;
  /** The polygon it was cut by, if that lies beside it. */
  readonly outline: Area | null;
  /** When it was cut; 0 when it does not say. */
  readonly cutMs: Millis;
}

/** Whoever cuts an extract leaves ways whole that lead out of it: no farther than this, as a rule. */
const BEYOND_AN_EXTRACT: Metres = 50_000;

export async function extractCoverageOf(path: string): Promise<ExtractCoverage> {
  const [header, outline] = await Promise.all([headerOfPbf(path), outlineOf(path)]);
  return {
    ...{ name: basename(path), outline, cutMs: header.newestMs },
    box: header.box ?? (outline && boxAround(outline)),
  };
}

/** Whether anything of a file may lie in an area, or tell when its streets are of. */
export function mayReach({ box, cutMs }: ExtractCoverage, area: BoundingBox): boolean {
  return box === null || cutMs === 0 || boxesMeet(bufferBox(box, BEYOND_AN_EXTRACT), area);
}

/** Where files together claim to hold everything: the box, and the areas of each. */
export function coverageOf(files: readonly ExtractCoverage[]): {
  coverage: BoundingBox | null;
  outlines: readonly Area[] | null;
} {
  const isOutlined = files.some(({ outline }) => outline !== null);
  return {
    coverage: files.map(({ box }) => box).reduce((a, b) => a && b && boxAroundBoth(a, b)),
    outlines: isOutlined
      ? files.map(({ outline, box }) => outline ?? areaOfBox(box ?? EVERYWHERE))
      : null,
  };
}

function boxAround({ polygons }: Area): BoundingBox {
  return boxOf(polygons.flat(2));
}

function areaOfBox({ minLon, minLat, maxLon, maxLat }: BoundingBox): Area {
  const ring: Ring = [
    [minLon, minLat],
    [maxLon, minLat],
    [maxLon, maxLat],
    [minLon, maxLat],
    [minLon, minLat],
  ];
  return { polygons: [[ring]] };
}
