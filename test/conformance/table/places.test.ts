import { describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectRows } from '../api.ts';
import { demoOfTests, PORT_MERIDIAN } from '../demo.ts';
import { isInside } from '../plain-geometry.ts';

const demo = demoOfTests();

interface PlaceItem {
  readonly name: string;
  readonly geoid: string;
  readonly lon: number;
  readonly lat: number;
  readonly state: string;
}

const find = async (q: string, more: Record<string, string | number> = {}) => {
  const response = await demo.api.get('/v1/places', { q, ...more }, { as: null });
  return expectOk(response).places as PlaceItem[];
};
const names = async (q: string) => (await find(q)).map(({ name }) => name);

describe('§4.1 GET /v1/places', () => {
  test('returns {places: [{name, geoid, lon, lat, state}]}, free and without a key', async () => {
    const places = await find('Port Meridian');
    expect(places[0]).toEqual({
      name: 'Port Meridian',
      geoid: PORT_MERIDIAN,
      lon: expect.any(Number),
      lat: expect.any(Number),
      state: expect.stringMatching(/^[A-Z]{2}$/),
    });
    const { polygons } = demo.place;
    expect(isInside(polygons, places[0].lon, places[0].lat)).toBe(true);
  });

  test('matches exactly, by prefix, by word prefix and by substring, ignoring case and accents', async () => {
    const [wanted] = ['Port Meridian'];
    for (const q of [
      'Port Meridian',
      'port meridian',
      'PORT MERIDIAN',
      'Pört Mérïdian',
      'por',
      'Meri',
      'ridia',
      ' port meridian ',
    ]) {
      expect([q, (await names(q))[0]]).toEqual([q, wanted]);
    }
    expect(await names('halc')).toEqual(['Halcyon']);
    expect(await find('Atlantis')).toEqual([]);
  });

  test('special characters in a search are literal', async () => {
    for (const q of ['%', '_', '.*', '[', '\\', '*', "'", 'P.rt'])
      expect(await find(q)).toEqual([]);
  });

  test('limit is 1 to 20, default 10', async () => {
    expect(await find('a', { limit: 1 })).toHaveLength(1);
    expect((await find('a', { limit: 20 })).length).toBeGreaterThan(1);
    expectInvalid(await demo.api.get('/v1/places', { q: 'a', limit: 21 }, { as: null }), 'limit');
  });

  test('q is required', async () => {
    expectInvalid(await demo.api.get('/v1/places', {}, { as: null }), 'q');
  });
});

describe('§4.1 GET /v1/places/{geoid}/boundary', () => {
  const boundary = (geoid: string) =>
    demo.api.get(`/v1/places/${geoid}/boundary`, {}, { as: null });

  test('returns a GeoJSON Feature: Polygon or MultiPolygon, WGS84, properties.geoid', async () => {
    for (const { geoid } of demo.release.places) {
      const feature = expectOk(await boundary(geoid));
      expect(feature).toMatchObject({ type: 'Feature', properties: { geoid } });
      expect(['Polygon', 'MultiPolygon']).toContain(feature.geometry.type);
    }
  });

  test('rings are closed, have an area, lie within bounds, and have at most 6 decimals', async () => {
    const { geometry } = expectOk(await boundary(PORT_MERIDIAN));
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    for (const ring of polygons.flat()) {
      expect(ring.length).toBeGreaterThanOrEqual(4);
      expect(ring.at(-1)).toEqual(ring[0]);
      for (const [lon, lat] of ring) {
        expect([Number(lon.toFixed(6)), Number(lat.toFixed(6))]).toEqual([lon, lat]);
        expect(Math.abs(lon)).toBeLessThanOrEqual(180);
        expect(Math.abs(lat)).toBeLessThanOrEqual(90);
      }
    }
  });

  test('simplification moves at most one block in a hundred across the boundary', async () => {
    const { geometry } = expectOk(await boundary(PORT_MERIDIAN));
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    const moved = demo.release.blocks.filter(
      ({ lon, lat }) => isInside(polygons, lon, lat) !== isInside(demo.place.polygons, lon, lat),
    );
    expect(moved.length).toBeLessThanOrEqual(demo.release.blocks.length / 100);
  });
});

describe('§4.3 GET /v1/places/{geoid}/pois', () => {
  const url = `/v1/places/${PORT_MERIDIAN}/pois`;

  test('returns {results: [PoiSearchResult], next_cursor}: no mode, no travel_time', async () => {
    const body = expectRows(await demo.api.get(url, { limit: 5 }), 5);
    expect(Object.keys(body).sort()).toEqual(['next_cursor', 'results']);
    for (const row of body.results) {
      expect(Object.keys(row).sort()).toEqual(['address', 'dest_id', 'lat', 'lon', 'name']);
    }
  });
});
