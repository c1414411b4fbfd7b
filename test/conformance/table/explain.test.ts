import { beforeAll, describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { BLOCK_ELSEWHERE, demoOfTests, NO_SUCH_BLOCK, NO_SUCH_POI } from '../demo.ts';

const demo = demoOfTests();
let path: string;
beforeAll(() => {
  path = `/v1/blocks/${demo.block.geoid}/explain`;
});

const PRICE = 5;

interface Leg {
  readonly kind: string;
  readonly minutes: number;
  readonly route?: string;
  readonly from_stop?: string;
  readonly to_stop?: string;
}

/** Every eleventh time from the block to a POI. */
const someTimes = () => demo.release.times.get(demo.block.geoid)!.filter((_, i) => i % 11 === 0);

const tenths = (legs: readonly Leg[]) =>
  legs.reduce((sum, { minutes }) => sum + Math.round(minutes * 10), 0);

describe('GET /v1/blocks/{geoid}/explain', () => {
  test('returns {block, to, mode, departure, travel_time, departs, transfers, legs} for 5 tokens', async () => {
    const response = await demo.api.get(path, { dest_id: demo.poi.dest_id, mode: 'walk' });
    const body = expectOk(response);
    expect(response.headers['x-tokens-charged']).toBe(String(PRICE));
    const time = demo.release.times
      .get(demo.block.geoid)!
      .find(({ dest_id, mode }) => dest_id === demo.poi.dest_id && mode === 'walk')!.travel_time;
    expect(body).toEqual({
      block: demo.block.geoid,
      to: demo.poi.dest_id,
      mode: 'walk',
      departure: 'am',
      travel_time: time,
      departs: null,
      transfers: 0,
      legs: [{ kind: 'walk', minutes: time }],
    });
  });

  test('the legs of a trip to a POI add up to its stored time, by every mode', async () => {
    const kinds = new Set<string>();
    for (const { dest_id, mode, travel_time } of someTimes()) {
      const body = expectOk(await demo.api.get(path, { dest_id, mode }));
      expect([dest_id, mode, body.travel_time]).toEqual([dest_id, mode, travel_time]);
      expect(tenths(body.legs)).toBe(Math.round(travel_time * 10));
      kinds.add(`${mode}: ${body.legs.map(({ kind }: Leg) => kind).join(', ')}`);
    }
    expect(kinds).toContain('walk: walk');
    expect(kinds).toContain('bike: ride');
    expect(kinds).toContain('transit: walk, wait, ride, walk');
  });

  test('a ride names its route and its stops, and the legs before and after it name the same stops', async () => {
    let rides = 0;
    for (const { dest_id, mode } of someTimes()) {
      if (mode !== 'transit') continue;
      const { legs } = expectOk(await demo.api.get(path, { dest_id })) as { legs: Leg[] };
      legs.forEach((leg, i) => {
        if (leg.kind !== 'ride') return;
        rides++;
        expect(leg.route).toMatch(/^(1|2|M)$/);
        expect(leg.from_stop).not.toBe(leg.to_stop);
        const [before, after] = [legs[i - 1], legs[i + 1]];
        expect(before.kind === 'wait' ? before.from_stop : before.to_stop).toBe(leg.from_stop);
        if (after) expect(after.from_stop).toBe(leg.to_stop);
      });
    }
    expect(rides).toBeGreaterThan(3);
  });

  test('with spread, a trip by transit has the times of the window, and the lines that are fastest', async () => {
    let ridden = 0;
    for (const { dest_id, mode, travel_time } of someTimes()) {
      const body = expectOk(await demo.api.get(path, { dest_id, mode, spread: true }));
      if (mode !== 'transit') {
        expect(body).not.toHaveProperty('spread');
        continue;
      }
      const { departures, as_fast, minutes, routes } = body.spread;
      expect([departures, minutes['10'], as_fast >= 6]).toEqual([60, travel_time, true]);
      const times = ['10', '50', '90'].map((p) => minutes[p] ?? Infinity);
      expect(times).toEqual(times.toSorted((a: number, b: number) => a - b));
      if (body.departs === null) continue;
      ridden++;
      const lines = (body.legs as Leg[]).flatMap(({ route }) => route ?? []);
      expect(routes.map(({ routes }: { routes: string[] }) => routes)).toContainEqual(lines);
      expect(body.transfers).toBe(lines.length - 1);
    }
    expect(ridden).toBeGreaterThan(3);
  });

  test('a departure of the window is explained by itself, as the spread of all counts it', async () => {
    const { dest_id } = someTimes().find(({ mode }) => mode === 'transit')!;
    const whole = expectOk(await demo.api.get(path, { dest_id, spread: true }));
    const times: number[] = [];
    for (let minute = 0; minute < 60; minute++) {
      const departs = `08:${String(minute).padStart(2, '0')}`;
      const body = expectOk(await demo.api.get(path, { dest_id, departs }));
      expect([departs, null]).toContain(body.departs);
      expect(tenths(body.legs)).toBe(Math.round((body.travel_time ?? 0) * 10));
      times.push(body.travel_time ?? Infinity);
    }
    const sorted = times.toSorted((a, b) => a - b);
    const ranked = [6, 30, 54].map((rank) => sorted[rank - 1]);
    expect(['10', '50', '90'].map((p) => whole.spread.minutes[p] ?? Infinity)).toEqual(ranked);
    for (const departs of ['07:59', '09:00', '8:00', '8', '08:60', '']) {
      expectInvalid(await demo.api.get(path, { dest_id, departs }), 'departs');
    }
  });

  test('beyond reach, a spread has no times', async () => {
    const { api, water } = demo;
    const body = expectOk(await api.get(path, { to: water.geoid, spread: true }));
    const minutes = { '10': null, '50': null, '90': null };
    expect(body.spread).toEqual({ departures: 60, as_fast: 0, minutes, routes: [] });
  });

  test('between blocks minutes are whole; a block is a minute from itself', async () => {
    const { geoid } = demo.block;
    for (const mode of ['walk', 'bike', 'transit']) {
      const { travel_time, to, legs } = expectOk(await demo.api.get(path, { to: geoid, mode }));
      expect([travel_time, to, legs.length, legs[0].minutes]).toEqual([1, geoid, 1, 1]);
    }
    const routable = demo.release.blocks.filter(({ isRoutable }) => isRoutable);
    for (const { geoid: to } of routable.slice(0, 40)) {
      const { travel_time, legs } = expectOk(await demo.api.get(path, { to }));
      for (const { minutes } of legs) expect(Number.isInteger(minutes)).toBe(true);
      expect(tenths(legs)).toBe(10 * (travel_time ?? 0));
    }
  });

  test('beyond reach the time is null, and there are no legs', async () => {
    const { api, water } = demo;
    const body = expectOk(await api.get(path, { to: water.geoid }));
    expect(body).toMatchObject({ to: water.geoid, mode: 'transit', travel_time: null, legs: [] });
  });

  test('a mode that could not be routed from a block or to one is named, with the reason', async () => {
    const { api, block, water } = demo;
    const unrouted = [{ mode: 'bike', reason: 'no-street-near' }];
    const to = expectOk(await api.get(path, { to: water.geoid, mode: 'bike' }));
    expect(to.unrouted).toEqual(unrouted);
    const own = `/v1/blocks/${water.geoid}/explain`;
    const from = expectOk(await api.get(own, { to: block.geoid, mode: 'bike' }));
    expect([from.travel_time, from.unrouted]).toEqual([null, unrouted]);
    expect(expectOk(await api.get(path, { to: block.geoid }))).not.toHaveProperty('unrouted');
  });

  test('exactly one destination is required, and must exist', async () => {
    const { api, block, poi } = demo;
    expectInvalid(await api.get(path), 'to');
    expectInvalid(await api.get(path, { to: block.geoid, dest_id: poi.dest_id }), 'to');
    expectInvalid(await api.get(path, { to: 'x' }), 'to');
    expectInvalid(await api.get(path, { to: block.geoid, mode: 'car' }), 'mode');
    expectInvalid(await api.get(path, { to: block.geoid, departure: 'pm' }), 'departure');
    for (const to of [NO_SUCH_BLOCK, BLOCK_ELSEWHERE]) {
      expectProblem(await api.get(path, { to }), 'block-not-found');
    }
    expectProblem(await api.get(path, { dest_id: NO_SUCH_POI }), 'poi-not-found');
    const elsewhere = `/v1/blocks/${BLOCK_ELSEWHERE}/explain`;
    expectProblem(await api.get(elsewhere, { to: block.geoid }), 'block-not-found');
  });

  test('a repetition with the ETag is free, and a HEAD states the price', async () => {
    const query = { dest_id: demo.poi.dest_id };
    const first = await demo.api.get(path, query);
    const { etag } = first.headers as { etag: string };
    const again = await demo.api.get(path, query, { headers: { 'if-none-match': etag } });
    expect([again.statusCode, again.headers['x-tokens-charged']]).toEqual([304, '0']);
    const head = await demo.api.get(path, query, { method: 'HEAD' });
    expect([head.headers.etag, head.headers['x-tokens-cost']]).toEqual([etag, String(PRICE)]);
  });
});
