import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { expectOk } from '../api.ts';
import { demoOfTests, OPEN_SEA } from '../demo.ts';

const demo = demoOfTests();
const NDJSON = 'application/x-ndjson';
const GEOJSON = 'application/geo+json';

const ask = (path: string, body: object, accept = 'application/json') =>
  demo.api.post(path, body, { headers: { accept } });
const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('sums of an area', () => {
  const body = () => ({
    area: { blocks: demo.release.blocks.slice(0, 50).map(({ geoid }) => geoid) },
    type: [101, 601],
  });
  const all_of = [{ type: 101, mode: 'walk', max_minutes: 10, nth: 1 }];

  test('name the area in a header of every format, and the basket if there is one', async () => {
    for (const basket of [{}, { all_of }]) {
      const json = expectOk(await ask('/v1/coverage', { ...body(), ...basket }));
      for (const accept of ['application/json', 'text/csv', NDJSON]) {
        const { headers } = await ask('/v1/coverage', { ...body(), ...basket }, accept);
        expect(JSON.parse(String(headers['x-area']))).toEqual(json.area);
        const sent = headers['x-basket'];
        expect(sent === undefined ? null : JSON.parse(String(sent))).toEqual(json.basket);
      }
    }
  });

  test('are lines of NDJSON, and a basket is the last line', async () => {
    const plain = expectOk(await ask('/v1/coverage', body()));
    expect(lines((await ask('/v1/coverage', body(), NDJSON)).body)).toEqual(plain.results);
    const { results, ...beside } = expectOk(await ask('/v1/coverage', { ...body(), all_of }));
    const response = await ask('/v1/coverage', { ...body(), all_of }, NDJSON);
    expect(lines(response.body)).toEqual([...results, beside]);
  });

  test('have headers of the area and of a basket, which the document lists', async () => {
    const { paths } = expectOk(await demo.api.get('/openapi.json'));
    const headersOf = (path: string, method: string) =>
      Object.keys(paths[path][method].responses['200'].headers);
    for (const path of ['/v1/places/{geoid}/coverage', '/v1/counties/{fips}/coverage']) {
      expect(headersOf(path, 'get')).toContain('X-Area');
    }
    expect(headersOf('/v1/coverage', 'post')).toEqual(
      expect.arrayContaining(['X-Area', 'X-Basket']),
    );
  });
});

describe('sites of one’s own', () => {
  const spots = () => {
    const linked = demo.release.blocks.filter(({ links }) => links.walk === 'linked');
    return [0, 40, 80, 120].map((i) => ({ lon: linked[i].lon, lat: linked[i].lat }));
  };
  const body = () => {
    const [a, b, c, d] = spots();
    return {
      sites: [
        { id: 'a', ...a },
        { id: 'sea', ...OPEN_SEA },
      ],
      candidates: [
        { id: '=b', ...b },
        { id: 3, ...c },
        { id: 'd', ...d },
      ],
      choose: 2,
      uncovered: 3,
      area: { counties: [demo.release.blocks[0].geoid.slice(0, 5)] },
      mode: 'bike',
      minutes: [2, 5],
    };
  };
  const PATH = '/v1/sites/coverage';
  /** The rows expected from the lists of the JSON response, each site with its point as sent. */
  const expectedRows = async () => {
    const sent = body();
    const json = expectOk(await ask(PATH, sent));
    const pointOf = new Map([...sent.sites, ...sent.candidates].map((one) => [one.id, one]));
    const ranks = json.chosen.map(({ id }: { id: string }) => id);
    const row = (list: string) => (one: { id: string; block: string }) => {
      const { id, block, ...measures } = one;
      const { lon, lat } = pointOf.get(id)!;
      const rank = ranks.indexOf(id);
      const { id: _, ...choice } = json.chosen[rank] ?? {};
      const chosen = { rank: rank + 1, ...choice };
      return { list, id, lon, lat, block, ...measures, ...(rank !== -1 && { chosen }) };
    };
    const { area, results, errors, precision } = json;
    expect(json.chosen.length).toBeGreaterThan(0);
    expect(errors).toMatchObject([{ id: 'sea', list: 'sites' }]);
    const centreOf = new Map(demo.release.blocks.map((block) => [block.geoid, block]));
    const gap = ({ block, count }: { block: string; count: number }) => {
      const { lon, lat } = centreOf.get(block)!;
      return { list: 'uncovered', lon, lat, block, count };
    };
    expect(json.uncovered).toHaveLength(3);
    const lost = ({ id, list, type, detail }: Record<string, string>) => {
      const { lon, lat } = pointOf.get(id)!;
      return { list, id, lon, lat, error: { type, detail } };
    };
    const places = [
      ...json.sites.map(row('sites')),
      ...json.gains.map(row('candidates')),
      ...errors.map(lost),
    ];
    const sentOrder = [...sent.sites, ...sent.candidates].map(({ id }) => id);
    places.sort((a, b) => sentOrder.indexOf(a.id) - sentOrder.indexOf(b.id));
    return {
      rows: [...places, ...json.uncovered.map(gap)],
      beside: { area, results, errors, precision },
    };
  };

  test('are lines of NDJSON, and the sums are the last line', async () => {
    const { rows, beside } = await expectedRows();
    expect(lines((await ask(PATH, body(), NDJSON)).body)).toEqual([...rows, beside]);
  });

  test('are points of GeoJSON, and the sums are members of the collection', async () => {
    const { rows, beside } = await expectedRows();
    const features = rows.map(({ lon, lat, ...properties }) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties,
    }));
    expect(JSON.parse((await ask(PATH, body(), GEOJSON)).body)).toEqual({
      type: 'FeatureCollection',
      ...beside,
      features,
    });
  });

  test('are lines of CSV after those of the area, and the rest is in headers', async () => {
    const { rows, beside } = await expectedRows();
    const { body: csv, headers } = await ask(PATH, body(), 'text/csv');
    const { data, meta } = Papa.parse<Record<string, string>>(csv.trimEnd(), { header: true });
    expect(meta.fields!.join()).toBe(
      'list,id,lon,lat,block,mode,weight,total,within_2,within_5,beyond,no_data,overlap_2,overlap_5,gain_2,gain_5,chosen_rank,chosen_gain,chosen_total_within,count,error_type,error_detail',
    );
    const sums = beside.results.map((one: object) => ({ list: 'area', ...one }));
    const cells = [...sums, ...rows].map(({ id, within, overlap, gain, chosen, error, ...one }) =>
      [
        ...[one.list, id === '=b' ? "'=b" : id, one.lon, one.lat, one.block],
        ...[one.mode, one.weight, one.total, within?.[2], within?.[5], one.beyond, one.no_data],
        ...[overlap?.[2], overlap?.[5], gain?.[2], gain?.[5]],
        ...[chosen?.rank, chosen?.gain, chosen?.total_within, one.count],
        ...[error?.type, error?.detail],
      ].map((cell) => String(cell ?? '')),
    );
    expect(data.map((line) => Object.values(line))).toEqual(cells);
    expect(JSON.parse(String(headers['x-area']))).toEqual(beside.area);
    expect(headers).toMatchObject({
      'x-batch-errors': '1',
      'x-errors': 'sites:sea=point-not-covered',
      'x-precision': beside.precision,
    });
  });

  test('keep the sums of all weights and minutes in CSV', async () => {
    const { weights } = expectOk(await demo.api.get('/v1/meta/weights'));
    const weight = weights.slice(0, 40).map((one: { weight: string }) => one.weight);
    const minutes = Array.from({ length: 12 }, (_, i) => 5 * (i + 1));
    const sent = { ...body(), weight, minutes };
    const { results } = expectOk(await ask(PATH, sent));
    const { body: csv } = await ask(PATH, sent, 'text/csv');
    const { data } = Papa.parse<Record<string, string>>(csv.trimEnd(), { header: true });
    const within = (row: Record<string, string>) =>
      Object.fromEntries(minutes.map((minute) => [minute, Number(row[`within_${minute}`])]));
    const rows = data
      .filter(({ list }) => list === 'area')
      .map((row) => ({
        mode: row.mode,
        weight: row.weight,
        total: Number(row.total),
        within: within(row),
        beyond: Number(row.beyond),
        no_data: Number(row.no_data),
      }));
    expect(rows).toHaveLength(weight.length);
    expect(rows).toEqual(results);
  });
});
