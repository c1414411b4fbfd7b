import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianPackage } from '../support/debian.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

type Ring = readonly (readonly [lon: number, lat: number])[];
export type Shape = readonly (readonly Ring[])[];

/** A contour as the service drew it, and its census blocks. */
export interface Contour {
  /** Name of the response, which its contours share. */
  readonly response: string;
  readonly minutes: number;
  readonly shape: Shape;
  readonly blocks: readonly string[];
}

/** GEOS's findings about a contour. Areas in square degrees: 1e-10 is about a square metre. */
export interface Judgement {
  readonly contour: Contour;
  readonly isValid: boolean;
  /** The area of the contour's blocks that the contour does not cover. */
  readonly missing: number;
  /** The area that the contour covers beyond its blocks and the small holes in their union. */
  readonly surplus: number;
  /** The largest area of the contour outside a larger contour of its response. */
  readonly outsideLarger: number;
  /** The area within a micro-degree of the border, to which coordinates are rounded. */
  readonly border: number;
  /** Whether the contour has as many rings as the union of its blocks without the small holes. */
  readonly isInOnePiece: boolean;
}

/** The block areas of census shapefiles, as GDAL reads them. */
export async function censusBlocks(zips: readonly string[]): Promise<ReadonlyMap<string, Shape>> {
  const areas = new Map<string, Shape>();
  for (const zip of zips) {
    const text = await ogr2ogr('GeoJSON', `/vsizip/${zip}`, '-select', 'GEOID20');
    for (const { properties, geometry } of JSON.parse(text).features) {
      areas.set(properties.GEOID20, shapeOf(geometry));
    }
  }
  return areas;
}

export function shapeOf(geometry: { type: string; coordinates: unknown }): Shape {
  return (geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates) as Shape;
}

/**
 * Examines contours with GEOS, through GDAL. Holes below `fillBelow` square metres may be filled.
 */
export async function judgeContours(
  contours: readonly Contour[],
  areas: ReadonlyMap<string, Shape>,
  fillBelow: number,
): Promise<Judgement[]> {
  const feature = (coordinates: Shape, properties: object) => ({
    type: 'Feature',
    properties,
    geometry: { type: 'MultiPolygon', coordinates },
  });
  const drawn = contours.map(({ response, minutes, shape }, nr) =>
    feature(shape, { nr, kind: 'contour', response, minutes }),
  );
  const blocks = contours.flatMap((contour, nr) =>
    contour.blocks.map((geoid) => feature(areas.get(geoid)!, { nr, kind: 'block' })),
  );
  const folder = await folderOfThisTest();
  const contoursOnly = await writeLayer(folder, 'contours', drawn);
  const everything = await writeLayer(folder, 'everything', [...drawn, ...blocks]);
  const unions = await ogr2ogr(
    'GeoJSON',
    everything,
    ...sql(`SELECT nr, ST_Union(geometry) FROM everything WHERE kind = 'block' GROUP BY nr`),
  );
  const union = new Map<number, Shape>();
  for (const { properties, geometry } of JSON.parse(unions).features) {
    union.set(properties.nr, shapeOf(geometry));
  }
  const facts = await ogr2ogr(
    'CSV',
    everything,
    ...sql(
      `SELECT nr, MIN(CASE kind WHEN 'contour' THEN ST_IsValid(geometry) END),
       ST_Area(ST_Union(geometry)) FROM everything GROUP BY nr ORDER BY nr`,
    ),
  );
  const outside = await ogr2ogr(
    'CSV',
    contoursOnly,
    ...sql(
      `SELECT a.nr, MAX(ST_Area(ST_Difference(a.geometry, b.geometry))) FROM contours a
       JOIN contours b ON a.response = b.response AND a.minutes < b.minutes GROUP BY a.nr`,
    ),
  );
  const outsideLarger = new Map(numbers(outside).map(([nr, area]) => [nr, area]));
  return numbers(facts).map(([nr, isValid, together]) => {
    const area = areaOf(contours[nr].shape);
    const filled = union
      .get(nr)!
      .map(([shell, ...holes]) => [
        shell,
        ...holes.filter((hole) => squareMetres(hole) >= fillBelow),
      ]);
    return {
      contour: contours[nr],
      isValid: isValid === 1,
      missing: together - area,
      surplus: area - areaOf(filled),
      outsideLarger: outsideLarger.get(nr) ?? 0,
      border: perimeterOf(contours[nr].shape) * 1e-6,
      isInOnePiece: contours[nr].shape.flat().length === filled.flat().length,
    };
  });
}

async function writeLayer(folder: string, name: string, features: object[]): Promise<string> {
  const file = path.join(folder, `${name}.json`);
  await writeFile(file, JSON.stringify({ type: 'FeatureCollection', features }));
  return file;
}

const sql = (query: string) => ['-dialect', 'sqlite', '-sql', query];

async function ogr2ogr(format: string, source: string, ...options: string[]): Promise<string> {
  await ensureDebianPackage('gdal-bin', 'ogr2ogr');
  const args = ['-f', format, '/vsistdout/', source, ...options];
  return (await promisify(execFile)('ogr2ogr', args, { maxBuffer: 1 << 30 })).stdout;
}

/** Numbers of each line of CSV after the first. An empty value is a null area, read as zero. */
function numbers(csv: string): number[][] {
  return csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').map((cell) => Number(cell.replaceAll('"', ''))));
}

/** Area in square degrees, by the shoelace formula; areas of holes are subtracted. */
function areaOf(shape: Shape): number {
  return shape.reduce(
    (sum, [shell, ...holes]) =>
      sum + ringArea(shell) - holes.reduce((less, hole) => less + ringArea(hole), 0),
    0,
  );
}

function perimeterOf(shape: Shape): number {
  return shape.flat().reduce((sum, ring) => sum + ringLength(ring), 0);
}

function ringLength(ring: Ring): number {
  return ring
    .slice(1)
    .reduce((sum, [x, y], i) => sum + Math.hypot(x - ring[i][0], y - ring[i][1]), 0);
}

function ringArea(ring: Ring): number {
  const [x0, y0] = ring[0];
  let twice = 0;
  for (let i = 1; i < ring.length; i++) {
    twice += (ring[i - 1][0] - x0) * (ring[i][1] - y0) - (ring[i][0] - x0) * (ring[i - 1][1] - y0);
  }
  return Math.abs(twice / 2);
}

const METRES_PER_DEGREE = 111_195;

function squareMetres(ring: Ring): number {
  const lat = ring.reduce((sum, position) => sum + position[1], 0) / ring.length;
  return ringArea(ring) * METRES_PER_DEGREE ** 2 * Math.cos((lat * Math.PI) / 180);
}

/** Violations of RFC 7946 by the rings of a shape, as text. */
export function ringFaults(shape: Shape): string[] {
  return shape.flatMap((polygon) =>
    polygon.flatMap((ring, i) => {
      const [first, last] = [ring[0], ring[ring.length - 1]];
      const twice = ring
        .slice(1)
        .reduce(
          (sum, [x, y], k) =>
            sum +
            (ring[k][0] - first[0]) * (y - first[1]) -
            (x - first[0]) * (ring[k][1] - first[1]),
          0,
        );
      const isTooPrecise = ring.flat().some((degrees) => Number(degrees.toFixed(6)) !== degrees);
      return [
        ...(ring.length < 4 ? ['fewer than four positions'] : []),
        ...(first[0] !== last[0] || first[1] !== last[1] ? ['not closed'] : []),
        ...(twice > 0 !== (i === 0) ? [`ring ${i} runs the wrong way`] : []),
        ...(isTooPrecise ? ['more than six decimals'] : []),
      ];
    }),
  );
}
