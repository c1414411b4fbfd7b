import { describe, expect, test } from 'vitest';
import { boxRing, positions } from '../../support/rings.ts';
import { expectOk, expectProblem, expectRows } from '../api.ts';
import { demoOfTests, PORT_MERIDIAN } from '../demo.ts';
import { allPages } from '../paging.ts';

const demo = demoOfTests();

const QUERY = '/v1/blocks/query';
const PLACE = `/v1/places/${PORT_MERIDIAN}/blocks`;
const FEW = { type: [101], limit: 20 };

type Ring = [number, number][];
const polygon = (...coordinates: Ring[]) => ({ type: 'Polygon', coordinates });
const CITY = polygon(boxRing(-70.05, 35.95, -69.95, 36.05));
const query = (body: object) => demo.api.post(QUERY, { ...FEW, ...body });
const center = () => ({ lon: demo.block.lon, lat: demo.block.lat });

const MODES = ['walk', 'bike', 'transit'];

interface Row {
  readonly geoid: string;
  readonly dest_type_id: number;
  readonly mode_id: number;
  readonly mode: string;
  readonly travel_time: number;
}

describe('§2 ArealBlockResult', () => {
  test('geoid, dest_type_id, mode_id, mode, travel_time: the mode by its id and its label', async () => {
    for (const response of [await query({ polygon: CITY }), await demo.api.get(PLACE, FEW)]) {
      const body = expectRows(response, 20);
      expect(Object.keys(body).sort()).toEqual(['next_cursor', 'results']);
      for (const row of body.results as Row[]) {
        expect(Object.keys(row)).toEqual([
          'geoid',
          'dest_type_id',
          'mode_id',
          'mode',
          'travel_time',
        ]);
        expect([1, 2, 3]).toContain(row.mode_id);
        expect(row.mode).toBe(MODES[row.mode_id - 1]);
      }
    }
  });

  test('both routes return the rows in every format', async () => {
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const rest = { headers: { accept } };
      for (const response of [
        await demo.api.post(QUERY, { ...FEW, polygon: CITY }, rest),
        await demo.api.get(PLACE, FEW, rest),
      ]) {
        const lines = response.body.trim().split(/\r?\n/);
        if (accept === 'text/csv') {
          expect(lines.shift()).toBe('geoid,dest_type_id,mode_id,mode,travel_time');
        }
        expect(lines).toHaveLength(20);
        for (const line of lines) {
          const [id, mode] =
            accept === 'text/csv'
              ? line.split(',').slice(2, 4)
              : [JSON.parse(line).mode_id, JSON.parse(line).mode];
          expect(mode).toBe(MODES[Number(id) - 1]);
        }
      }
    }
  });

  test('a null cursor requests the first page', async () => {
    const first = expectOk(await query({ polygon: CITY }));
    expect(expectOk(await query({ polygon: CITY, cursor: null }))).toEqual(first);
  });

  test('population is present only when include_population is true', async () => {
    const include_population = true;
    for (const response of [
      await query({ polygon: CITY, include_population }),
      await demo.api.get(PLACE, { ...FEW, include_population }),
    ]) {
      for (const row of expectOk(response).results) {
        const { population } = demo.release.blocks.find(({ geoid }) => geoid === row.geoid)!;
        expect(row.population).toBe(population);
      }
    }
    for (const no of ['false', 'FALSE', '0', 'False']) {
      const without = await demo.api.get(PLACE, { ...FEW, include_population: no });
      expect(expectOk(without).results[0]).not.toHaveProperty('population');
    }
    for (const yes of ['true', 'TRUE', '1', 'True']) {
      const with_ = await demo.api.get(PLACE, { ...FEW, include_population: yes });
      expect(expectOk(with_).results[0]).toHaveProperty('population');
    }
  });
});

describe('POST /v1/blocks/query', () => {
  test('a body without an area is missing-area, one with two areas invalid-parameters', async () => {
    for (const body of [{}, { mode: ['walk'] }, { center: center() }, { radius_m: 500 }]) {
      const response = await demo.api.post(QUERY, body);
      expect([response.statusCode, response.body]).toEqual([
        400,
        expect.stringMatching(/missing-area|invalid-parameters/),
      ]);
    }
    expectProblem(await demo.api.post(QUERY, {}), 'missing-area');
    const both = await query({ polygon: CITY, center: center(), radius_m: 500 });
    expectProblem(both, 'invalid-parameters');
  });

  test.each([
    ['unclosed', polygon(positions('-70 36, -69.9 36, -69.9 36.1, -70 36.1'))],
    ['self-crossing', polygon(positions('-70 36, -69.9 36.1, -69.9 36, -70 36.1, -70 36'))],
    ['of three positions', polygon(positions('-70 36, -69.9 36.1, -70 36'))],
    ['without rings', polygon()],
    ['with an empty ring', polygon([])],
    ['out of range', polygon(boxRing(-190, 35, -170, 36))],
    ['over the pole', polygon(boxRing(-70, 89, -69, 91))],
    ['without polygons', { type: 'MultiPolygon', coordinates: [] }],
  ])('a polygon %s is invalid-geometry', async (_, shape) => {
    expectProblem(await query({ polygon: shape }), 'invalid-geometry');
  });

  test.each([
    ['another type', { type: 'Point', coordinates: [-70, 36] }],
    ['another type, with members of its own', { type: 'GeometryCollection', geometries: [] }],
    ['no coordinates', { type: 'Polygon' }],
    ['coordinates of text', { type: 'Polygon', coordinates: 'x' }],
    ['positions of text', polygon([['-70', '36']] as unknown as Ring)],
    ['a scalar', 5],
    ['an array', [1]],
    ['of rings that are none', { type: 'Polygon', coordinates: [5] }],
    ['of positions that are none', { type: 'Polygon', coordinates: [[1, 2, 3, 1]] }],
    ['of a position too long', polygon([[-70, 36, 1, 1]] as unknown as Ring)],
    ['of a position of nulls', polygon([[null, null]] as unknown as Ring)],
    [
      'a MultiPolygon of rings',
      { type: 'MultiPolygon', coordinates: [boxRing(-70, 36, -69.9, 36.1)] },
    ],
    ['of many empty rings', { type: 'Polygon', coordinates: Array(5_000).fill([]) }],
  ])('a polygon that is %s is invalid-geometry', async (_, shape) => {
    expectProblem(await query({ polygon: shape }), 'invalid-geometry');
  });

  const feature = { type: 'Feature', properties: {}, geometry: CITY };
  test.each([
    [feature, 'its geometry'],
    [{ type: 'FeatureCollection', features: [feature] }, 'the geometry of one of its features'],
  ])(
    'a $type instead of a geometry is invalid-geometry, whose detail states what to send',
    async (given, wanted) => {
      const { detail } = expectProblem(await query({ polygon: given }), 'invalid-geometry');
      expect(detail).toContain(`it is a GeoJSON ${given.type}; send ${wanted}`);
    },
  );

  test('a bbox in a polygon is ignored; any other extra member is named, with the members allowed', async () => {
    const here = polygon(boxRing(-70.01, 35.99, -69.99, 36.01));
    const plain = expectOk(await query({ polygon: here }));
    expect(expectOk(await query({ polygon: { ...here, bbox: 'x' } }))).toEqual(plain);
    const { errors } = expectProblem(
      await query({ polygon: { ...here, crs: {} } }),
      'invalid-parameters',
    );
    expect(errors).toEqual([
      {
        loc: ['body', 'polygon', 'crs'],
        msg: 'unknown member; polygon accepts type, coordinates, bbox',
        type: 'unrecognized_keys',
      },
    ]);
  });

  test('a polygon over 2,000 vertices or 5,000 km² is polygon-too-complex', async () => {
    const circle = (vertices: number, radius: number): Ring =>
      Array.from({ length: vertices + 1 }, (_, i) => {
        const angle = (2 * Math.PI * (i % vertices)) / vertices;
        return [-70 + radius * Math.cos(angle), 36 + radius * Math.sin(angle)];
      });
    expectOk(await query({ polygon: polygon(circle(1990, 0.05)) }));
    expectProblem(await query({ polygon: polygon(circle(2010, 0.05)) }), 'polygon-too-complex');
    // The count is checked before the contents.
    const wrong = polygon(Array(2_500).fill(['x']) as unknown as Ring);
    expectProblem(await query({ polygon: wrong }), 'polygon-too-complex');
    expectProblem(await query({ polygon: polygon(circle(20_000, 0.05)) }), 'polygon-too-complex');
    const large = polygon(boxRing(-71, 35, -70, 36));
    expectProblem(await query({ polygon: large }), 'polygon-too-complex');
    expectOk(await query({ polygon: polygon(boxRing(-70.3, 35.8, -69.8, 36.3)) }));
  });

  test('a MultiPolygon has the rows of all its polygons, and a hole is left out', async () => {
    const [west, east] = [boxRing(-70.02, 35.98, -70, 36.02), boxRing(-70, 35.98, -69.98, 36.02)];
    const rows = (polygon: object) =>
      allPages<Row>(demo.api, {
        method: 'POST',
        path: QUERY,
        body: { polygon, type: [601], limit: 1000 },
      });
    const both = await rows({ type: 'MultiPolygon', coordinates: [[west], [east]] });
    const each = [...(await rows(polygon(west))), ...(await rows(polygon(east)))];
    const key = (row: Row) => `${row.geoid} ${row.mode_id}`;
    expect(both.map(key).sort()).toEqual(each.map(key).sort());
    const hole = boxRing(-70.005, 35.99, -69.995, 36);
    const around = await rows(polygon(boxRing(-70.02, 35.98, -69.98, 36.02), hole));
    const within = await rows(polygon(hole));
    expect(within.length).toBeGreaterThan(0);
    expect([...around, ...within].map(key).sort()).toEqual(both.map(key).sort());
  });

  test('the direction and the first vertex of a ring do not matter', async () => {
    const ring = boxRing(-70.01, 35.99, -69.99, 36.01);
    const turned = [...ring.slice(2), ...ring.slice(1, 3)];
    const shapes = [ring, [...ring].reverse(), turned].map((one) => ({ polygon: polygon(one) }));
    const first = expectOk(await query(shapes[0]));
    expect(first.results.length).toBeGreaterThan(0);
    for (const shape of shapes.slice(1))
      expect(expectOk(await query(shape))).toMatchObject({ results: first.results });
  });

  test('refuses a malformed or out-of-bounds center', async () => {
    for (const bad of [{ lon: -70 }, { lon: 181, lat: 0 }, { lon: '1', lat: 2 }, [1, 2], 'x']) {
      const response = await query({ center: bad, radius_m: 5 });
      expect([response.statusCode, JSON.stringify(bad)]).toEqual([400, JSON.stringify(bad)]);
    }
  });
});
