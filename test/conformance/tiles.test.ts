import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Customer, expectOk, expectProblem, type HttpResponse } from './api.ts';
import { demoOfTests } from './demo.ts';
import { TILEJSON_SCHEMA } from './tilejson.ts';

const demo = demoOfTests();
let template: string;
const GROCERIES = 101;
const ZOOM = 12;

beforeAll(() => {
  template = `/v1/isochrone/tiles/walk/${GROCERIES}`;
});

/** The Web Mercator tile that contains a point. */
function tileAt({ lon, lat }: { lon: number; lat: number }, z: number): string {
  const sin = Math.sin((lat * Math.PI) / 180);
  const x = Math.floor(((lon + 180) / 360) * 2 ** z);
  const y = Math.floor((0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI)) * 2 ** z);
  return `${z}/${x}/${y}`;
}
const tile = (zxy: string, as: Customer | null = demo.api.customer): Promise<HttpResponse> =>
  demo.api.get(`${template}/${zxy}.mvt`, {}, { as });

describe('/v1/isochrone/tiles', () => {
  test('TileJSON 3 is free, without a key, and leads to the tiles', async () => {
    const json = expectOk(await demo.api.get(`${template}.json`, {}, { as: null }));
    expect(json).toMatchObject({
      tilejson: expect.stringMatching(/^3\./),
      tiles: [expect.stringMatching(/\{z\}\/\{x\}\/\{y\}\.mvt$/)],
      vector_layers: expect.any(Array),
      minzoom: 6,
      maxzoom: 14,
    });
    const url = new URL(json.tiles[0].replace('{z}/{x}/{y}', tileAt(demo.block, ZOOM)));
    expectOkTile(await demo.api.get(url.pathname));
  });

  test('TileJSON of every archive conforms to its specification', async () => {
    const isTileJson = new Ajv2020({ allErrors: true }).compile(TILEJSON_SCHEMA);
    const archives = Object.keys(demo.api.proxy.releases.current.manifest.tiles);
    for (const name of archives.filter((one) => /^(?!pois)\w+-/.test(one))) {
      const url = `/v1/isochrone/tiles/${name.replace('-', '/')}.json`;
      const json = expectOk(await demo.api.get(url, {}, { as: null }));
      isTileJson(json);
      expect([url, isTileJson.errors]).toEqual([url, null]);
      const [west, south, east, north] = json.bounds;
      const [lon, lat, zoom] = json.center;
      expect([west < east, south < north]).toEqual([true, true]);
      expect([lon >= west && lon <= east, lat >= south && lat <= north]).toEqual([true, true]);
      expect(zoom >= json.minzoom && zoom <= json.maxzoom).toBe(true);
      expect(new URL(json.tiles[0]).pathname).toContain(url.replace('.json', '/'));
    }
  });

  test('a compressed tile and a plain one have the same content, each with its own ETag', async () => {
    const path = `${template}/${tileAt(demo.block, ZOOM)}.mvt`;
    const ask = (headers: Record<string, string>) => demo.api.get(path, {}, { headers });
    const [plain, zipped] = [await ask({}), await ask({ 'accept-encoding': 'gzip' })];
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(zipped.headers.etag).not.toBe(plain.headers.etag);
    for (const etag of [plain.headers.etag, zipped.headers.etag]) {
      expect((await ask({ 'if-none-match': String(etag) })).statusCode).toBe(304);
    }
  });

  test('a tile costs a member nothing, and has no token headers', async () => {
    const member = await demo.api.newCustomer({ tokens: 0, member: true });
    const response = await tile(tileAt(demo.block, ZOOM), member);
    expectOkTile(response);
    expect(response.headers).not.toHaveProperty('x-tokens-charged');
    expect(response.headers).not.toHaveProperty('x-tokens-remaining');
  });

  test('an empty tile is 204 and free, without tokens too; any other needs one', async () => {
    const poor = await demo.api.newCustomer({ tokens: 0 });
    for (const method of ['GET', 'HEAD'] as const) {
      const ask = (zxy: string) =>
        demo.api.call({ method, path: `${template}/${zxy}.mvt`, as: poor });
      const empty = await ask(tileAt({ lon: 100, lat: 0 }, ZOOM));
      expect([empty.statusCode, empty.body]).toEqual([204, '']);
      expect(empty.headers['x-tokens-charged']).toBe('0');
      expect((await ask(tileAt(demo.block, ZOOM))).statusCode).toBe(429);
    }
  });

  test('a tile needs a key, costs 1 token, and is revalidated by its ETag for free', async () => {
    const zxy = tileAt(demo.block, ZOOM);
    expectProblem(await tile(zxy, null), 'missing-key');
    const first = await tile(zxy);
    expectOkTile(first);
    expect(first.headers['x-tokens-charged']).toBe('1');
    const headers = { 'if-none-match': String(first.headers.etag) };
    const again = await demo.api.get(`${template}/${zxy}.mvt`, {}, { headers });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  test.each(['6/99999/1', '6/1/64', '15/0/0', '5/0/0', '-1/0/0', 'a/b/c', '12/1.5/1', '12/01e1/1'])(
    'the invalid tile %s is refused or empty, uncharged',
    async (zxy) => {
      const { statusCode } = await tile(zxy);
      expect([204, 400, 404]).toContain(statusCode);
    },
  );

  test('refuses an unknown mode or type', async () => {
    for (const path of ['drive/101', 'walk/65000', 'walk/x']) {
      for (const url of [
        `/v1/isochrone/tiles/${path}.json`,
        `/v1/isochrone/tiles/${path}/6/0/0.mvt`,
      ]) {
        expect([400, 404]).toContain((await demo.api.get(url)).statusCode);
      }
    }
  });
});

function expectOkTile(response: HttpResponse): void {
  expect([response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([
    200,
    '',
  ]);
  expect(response.headers['content-type']).toMatch(
    /^application\/(vnd\.mapbox-vector-tile|x-protobuf)/,
  );
  expect(response.rawPayload.length).toBeGreaterThan(0);
}
