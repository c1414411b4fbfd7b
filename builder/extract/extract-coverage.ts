import { basename } from 'node:path';
import type { Area, Ring } from '../../shards/geometry/polygon.ts';
import {
  boxAroundBoth,
  boxesMeet,
  boxOf,
  bufferBox,
  EVERYWHERE,
} from '../../shards/geometry/wgs84.ts';
import type { BoundingBox, EpochMillis, Metres } from '../../shards/units.ts';
import { headerOfPbf } from '../osm/pbf.ts';
import { outlineOf } from './outline.ts';

/** The extent of a file according to its header and the polygon next to it. */
export interface ExtractCoverage {
  /** Base name of the file's path. */
  readonly name: string;
  /** The box in which the file claims to be complete; null if not stated. */
  readonly box: BoundingBox | null;
  /** The polygon that the file was cut by; null if there is none next to the file. */
  readonly outline: Area | null;
  /** When the file was cut; 0 if not stated. */
  readonly cutMs: EpochMillis;
}

/**
 * How far ways may reach beyond an extract, as a rule. Extracts keep ways that leave their area
 * whole.
 */
const BEYOND_AN_EXTRACT: Metres = 50_000;

export async function extractCoverageOf(path: string): Promise<ExtractCoverage> {
  const [header, outline] = await Promise.all([headerOfPbf(path), outlineOf(path)]);
  return {
    name: basename(path),
    outline,
    cutMs: header.newestMs,
    box: header.box ?? (outline && boxAround(outline)),
  };
}

/** Whether a file may have anything in an area, or is needed to date the street data. */
export function mayReach({ box, cutMs }: ExtractCoverage, area: BoundingBox): boolean {
  return box === null || cutMs === 0 || boxesMeet(bufferBox(box, BEYOND_AN_EXTRACT), area);
}

/**
 * Returns the area in which files together claim to be complete: the box around all of them, null
 * if any states none; and the area of each, null if no file has a polygon.
 */
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
