import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { blocksOf } from '../../infra/demo/census-blocks.ts';
import { countiesOf } from '../../infra/demo/census-ids.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import { baltimoreFile } from '../support/baltimore.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { forAll } from '../support/for-all.ts';
import { cityOfTests, output } from './written-city.ts';

const city = cityOfTests(500, 7);
beforeAll(() => ensureDebianPackage('gdal-bin', 'ogrinfo'));

describe('the census files of the demo city', () => {
  test('hold exactly the requested number of valid polygons, in NAD83', async () => {
    const validOnes = async (file: string) => {
      const said = 'count(*) AS count, sum(ST_IsValid(geometry)) AS valid';
      const { count, valid } = await select(file, said);
      expect(valid).toBe(count);
      return Number(count);
    };
    const counts = await Promise.all(city.files.blocks.map(validOnes));
    expect(counts[0] + counts[1]).toBe(500);
    for (const file of [...city.files.blocks, city.files.places, city.files.counties]) {
      expect(await output('ogrinfo', '-ro', '-al', '-so', vsizip(file))).toContain('NAD83');
      await validOnes(file);
    }
  });

  test('tile land and bay: every inner edge lies between two blocks, and the rest form one ring', async () => {
    const rings = (await Promise.all(city.files.blocks.map(ringsOf))).flat();
    const { outline, area } = outlineOf(rings);
    expect(follow(outline)).toHaveLength(outline.size);
    expect(shoelace(follow(outline))).toBeCloseTo(area, 12);
  });

  test.each([0, 1])('county %i is the sum of its blocks, edge for edge', async (n) => {
    const { outline } = outlineOf(await ringsOf(city.files.blocks[n]));
    const county = outlineOf([(await ringsOf(city.files.counties))[n]]).outline;
    expect(new Map([...county].sort())).toEqual(new Map([...outline].sort()));
  });

  test('state areas that agree with the geometry, and centres within it', async () => {
    for (const file of city.files.blocks) {
      const sums = await select(
        file,
        `sum(ALAND20 + AWATER20) AS stated,
         sum(ST_Area(ST_Transform(SetSRID(geometry, 4326), 6933))) AS measured,
         sum(ST_Contains(geometry, MakePoint(CAST(INTPTLON20 AS REAL), CAST(INTPTLAT20 AS REAL)))) AS inside,
         count(*) AS count`,
      );
      // EPSG:6933 is an equal-area projection of WGS84.
      expect(Number(sums.stated) / Number(sums.measured)).toBeCloseTo(1, 4);
      expect(sums.inside).toBe(sums.count);
    }
  });

  test('have GEOIDs composed of their parts, and people only on land', async () => {
    const wrong = `sum(GEOID20 <> STATEFP20 || COUNTYFP20 || TRACTCE20 || BLOCKCE20
      OR length(GEOID20) <> 15 OR MTFCC20 <> 'G5040' OR (ALAND20 = 0 AND POP20 > 0)
      OR INTPTLAT20 NOT LIKE '+3_._______' OR INTPTLON20 NOT LIKE '-0__._______')`;
    for (const file of city.files.blocks) {
      const facts = await select(
        file,
        `${wrong} AS wrong, sum(POP20) AS people, sum(AWATER20 > 0 AND POP20 = 0) AS water`,
      );
      expect(Number(facts.wrong)).toBe(0);
      expect(Number(facts.people)).toBeGreaterThan(1_000);
      expect(Number(facts.water)).toBeGreaterThan(0);
    }
  });

  test('name a city and a town, and two counties', async () => {
    expect(await values(city.files.places, 'GEOID')).toEqual(['9957600', '9931200']);
    expect(await values(city.files.places, 'NAME')).toEqual(['Port Meridian', 'Halcyon']);
    expect(await values(city.files.counties, 'GEOID')).toEqual(['99001', '99003']);
  });

  test('have the columns of the real files', async () => {
    const columns = async (file: string) =>
      (await output('ogrinfo', '-ro', '-al', '-so', vsizip(file)))
        .split('\n')
        .filter((line) => /^\w+: (String|Real|Integer\w*) \(/.test(line));
    const real = (file: string) => columns(baltimoreFile(file));
    expect(await columns(city.files.blocks[0])).toEqual(
      await real('blocks/tl_24510_tabblock20.zip'),
    );
    expect(await columns(city.files.places)).toEqual(await real('places/tl_24_place.zip'));
    expect(await columns(city.files.counties)).toEqual(
      expect.arrayContaining(await real('places/tl_us_county_baltimore_msa.zip')),
    );
  });

  test('have exactly the requested number of blocks, each with a unique GEOID, in any city', () =>
    forAll(
      40,
      fc.integer({ min: 600, max: 6_000 }),
      fc.nat(0xffff_ffff),
      fc.constantFrom(2, 3, 6, 12),
      (blocks, seed, counties) => {
        const plan = planCity({ blocks, seed, counties });
        const geoids = countiesOf(plan).map((county) =>
          [...blocksOf(plan, county)].map((b) => b.geoid),
        );
        expect(geoids).toHaveLength(counties);
        for (const own of geoids) {
          expect(own.length).toBeGreaterThan(20);
          expect(new Set(own.map((geoid) => geoid.slice(0, 5))).size).toBe(1);
        }
        expect(geoids.flat()).toHaveLength(blocks);
        expect(new Set(geoids.flat()).size).toBe(blocks);
      },
    ));

  test.each([
    { blocks: 499, seed: 1 },
    { blocks: 1_000_001, seed: 1 },
    { blocks: 700.5, seed: 1 },
    { blocks: Number.NaN, seed: 1 },
    { blocks: 700, seed: -1 },
    { blocks: 700, seed: 0.5 },
    { blocks: 700, seed: 1, counties: 1 },
    { blocks: 700, seed: 1, counties: 20 },
  ])('are refused for an impossible city: $blocks blocks, seed $seed', (options) => {
    expect(() => planCity(options)).toThrow(BuildError);
  });
});

const vsizip = (file: string) => `/vsizip/${file}`;
const layerOf = (file: string) => path.basename(file, '.zip');

/** The single row that a query of a shapefile returns, using GDAL's SQLite with SpatiaLite. */
async function select(file: string, columns: string): Promise<Record<string, string>> {
  const sql = `SELECT ${columns} FROM ${layerOf(file)}`;
  const text = await output(
    'ogrinfo',
    '-ro',
    '-q',
    '-dialect',
    'sqlite',
    '-sql',
    sql,
    vsizip(file),
  );
  return Object.fromEntries(
    [...text.matchAll(/^ {2}(\w+) \(\w+\) = (.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

interface Feature {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly geometry: { readonly coordinates: readonly Ring[] };
}
type Ring = readonly (readonly [lon: number, lat: number])[];

async function features(file: string): Promise<Feature[]> {
  const geojson = await output(
    'ogr2ogr',
    '-f',
    'GeoJSON',
    '/vsistdout/',
    vsizip(file),
    '-lco',
    'COORDINATE_PRECISION=9',
  );
  return JSON.parse(geojson).features;
}

async function values(file: string, field: string): Promise<unknown[]> {
  return (await features(file)).map(({ properties }) => properties[field]);
}

async function ringsOf(file: string): Promise<Ring[]> {
  return (await features(file)).map(({ geometry }) => geometry.coordinates[0]);
}

/**
 * The ring edges that are left after opposite ones cancel, each position with the next, and the
 * area.
 */
function outlineOf(rings: readonly Ring[]): { outline: Map<string, string>; area: number } {
  const edges = new Set<string>();
  let area = 0;
  for (const ring of rings) {
    area += shoelace(ring.map(String));
    for (let i = 1; i < ring.length; i++) {
      const edge = `${ring[i - 1]} ${ring[i]}`;
      expect(edges, 'two blocks on the same side of an edge').not.toContain(edge);
      edges.add(edge);
    }
  }
  const isOuter = (edge: string) => !edges.has(edge.split(' ').reverse().join(' '));
  const outer = [...edges].filter(isOuter).map((edge) => edge.split(' ') as [string, string]);
  const outline = new Map(outer);
  expect(outline.size, 'the outline meets itself').toBe(outer.length);
  return { outline, area };
}

/** The closed path from position to position that starts with the first edge. */
function follow(edges: ReadonlyMap<string, string>): string[] {
  const [first] = edges.keys();
  const way = [first];
  for (let at = edges.get(first)!; at !== first; at = edges.get(at)!) way.push(at);
  return way;
}

function shoelace(places: readonly string[]): number {
  const points = places.map((place) => place.split(',').map(Number));
  const [x0, y0] = points[0];
  return points.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = points[(i + 1) % points.length];
    return sum + ((x - x0) * (nextY - y0) - (nextX - x0) * (y - y0)) / 2;
  }, 0);
}
