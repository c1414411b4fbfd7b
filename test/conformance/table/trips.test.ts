import { describe, expect, test } from 'vitest';
import { expectInvalid, expectOk, expectProblem } from '../api.ts';
import { demoOfTests, NO_SUCH_BLOCK, NO_SUCH_POI } from '../demo.ts';

const demo = demoOfTests();
const PATH = '/v1/explain';
const PRICE = 5;
const ORIGINS = 6;
const EACH = 8;

interface Trip {
  readonly from: string;
  readonly to?: string;
  readonly dest_id?: number;
  readonly mode?: string;
  readonly departs?: string;
}

/** Trips from some blocks by all modes, to POIs and blocks, some at a departure of their own. */
function someTrips(): Trip[] {
  const routable = demo.release.blocks.filter(({ isRoutable }) => isRoutable);
  const from = routable.filter((_, i) => i % Math.ceil(routable.length / ORIGINS) === 0);
  return from.flatMap(({ geoid }, o) => {
    const times = demo.release.times.get(geoid)!;
    const step = Math.ceil(times.length / EACH);
    const pois = times.filter((_, i) => i % step === 0);
    return pois.map(({ dest_id, mode }, i): Trip => {
      const end =
        i % 3 === 0 ? { to: routable[(37 * (o + i)) % routable.length].geoid } : { dest_id };
      return { from: geoid, ...end, mode, ...(i % 4 === 1 && { departs: '08:23' }) };
    });
  });
}

const get = async ({ from, ...query }: Trip, spread: boolean) =>
  expectOk(await demo.api.get(`/v1/blocks/${from}/explain`, { ...query, spread }));

const post = (trips: readonly unknown[], more: object = {}) =>
  demo.api.post(PATH, { trips, ...more });

const tenths = (legs: readonly { minutes: number }[]) =>
  legs.reduce((sum, { minutes }) => sum + Math.round(minutes * 10), 0);

describe('POST /v1/explain', () => {
  test.each([false, true])(
    'has a row a trip as the GET, in the order sent, for 5 tokens each, with spread=%s',
    async (spread) => {
      const trips = someTrips();
      const response = await post(trips, { spread });
      const { results, errors, truncated } = expectOk(response);
      expect([results.length, errors, truncated]).toEqual([trips.length, [], []]);
      expect(response.headers['x-tokens-charged']).toBe(String(PRICE * trips.length));
      let ridden = 0;
      for (const [i, row] of results.entries()) {
        const single = await get(trips[i], spread);
        // Another journey that is as fast may be found.
        const facts = ({ legs: _, transfers: _t, spread: one, ...rest }: typeof row) => [
          rest,
          one?.minutes,
          one?.as_fast,
        ];
        expect(facts(row)).toEqual(facts(single));
        expect(tenths(row.legs)).toBe(Math.round(10 * (row.travel_time ?? 0)));
        if (row.departs !== null) ridden++;
      }
      expect(ridden).toBeGreaterThan(5);
    },
  );

  test('in CSV a row is a leg, beside the facts of its trip; a trip beyond reach has one', async () => {
    const { block, water, api } = demo;
    const beyond = demo.release.blocks.findLast(({ isRoutable }) => isRoutable)!.geoid;
    const trips = [...someTrips().slice(0, 9), { from: block.geoid, to: beyond, mode: 'walk' }];
    const sent = [...trips, { from: block.geoid, to: water.geoid }];
    const body = expectOk(await post(sent, { spread: true }));
    const csv = await api.post(
      PATH,
      { trips: sent, spread: true },
      { headers: { accept: 'text/csv' } },
    );
    expect(csv.headers['x-tokens-charged']).toBe(String(PRICE * trips.length));
    expect(csv.headers['x-errors']).toBe(
      `${encodeURIComponent(`${block.geoid} ${water.geoid}`)}=no-block-data`,
    );
    const [head, ...lines] = csv.body.trimEnd().split('\r\n');
    const names = head.split(',');
    const rows = lines.map((line) => {
      const cells = line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
      return Object.fromEntries(names.map((name, i) => [name, cells[i].replace(/^"|"$/g, '')]));
    });
    let at = 0;
    for (const trip of body.results) {
      const legs = trip.legs.length > 0 ? trip.legs : [{}];
      for (const [i, leg] of legs.entries()) {
        const row = rows[at++];
        expect([row.block, row.to, row.mode, row.travel_time]).toEqual(
          [trip.block, trip.to, trip.mode, trip.travel_time ?? ''].map(String),
        );
        expect([row.leg, row.kind, row.minutes, row.route, row.to_stop]).toEqual(
          [leg.kind ? i + 1 : '', leg.kind, leg.minutes, leg.route, leg.to_stop].map((cell) =>
            String(cell ?? ''),
          ),
        );
        const { spread } = trip;
        expect(row.spread_minutes_50).toBe(String(spread?.minutes['50'] ?? ''));
        const lines = spread?.routes.map(
          ({ routes, departures }: { routes: string[]; departures: number }) =>
            `${routes.join(' > ') || 'walk'}: ${departures}`,
        );
        expect(row.spread_routes).toBe((lines ?? []).join('; '));
      }
    }
    expect(at).toBe(rows.length);
    const ndjson = await api.post(PATH, { trips }, { headers: { accept: 'application/x-ndjson' } });
    const plain = expectOk(await post(trips));
    expect(
      ndjson.body
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(plain.results);
  });

  test('a trip with an end that is malformed, unknown or not routable fails alone, named as sent, free', async () => {
    const { block, water, poi } = demo;
    const from = block.geoid;
    const wrong = [
      [null, { from: null, sent: 'null' }, 'block-not-found'],
      [{ to: from }, { from: null, to: from }, 'block-not-found'],
      [{ from }, { from }, 'block-not-found'],
      [{ from: 'x', to: from }, { from: 'x', to: from }, 'block-not-found'],
      [{ from, to: NO_SUCH_BLOCK }, { from, to: NO_SUCH_BLOCK }, 'block-not-found'],
      [{ from, dest_id: NO_SUCH_POI }, { from, dest_id: NO_SUCH_POI }, 'poi-not-found'],
      [{ from, dest_id: 'x' }, { from, dest_id: null, sent: '"x"' }, 'poi-not-found'],
      [{ from, to: water.geoid, mode: 'bike' }, { mode: 'bike' }, 'no-block-data'],
      [{ from: water.geoid, to: from, departs: '08:05' }, { departs: '08:05' }, 'no-block-data'],
    ] as const;
    const sent = [...wrong.map(([trip]) => trip), { from: Number(from), dest_id: poi.dest_id }];
    const response = await post(sent);
    const { results, errors } = expectOk(response);
    expect(results).toMatchObject([{ block: from, to: poi.dest_id }]);
    expect(response.headers['x-tokens-charged']).toBe(String(PRICE));
    expect(errors).toMatchObject(wrong.map(([, name, type]) => ({ ...name, type })));
    const details = errors.slice(0, 4).map(({ detail }: { detail: string }) => detail);
    expect(details).toMatchObject([
      expect.stringContaining('send from'),
      expect.stringContaining('send from'),
      expect.stringContaining('send to'),
      expect.stringContaining('"x" is not a block GEOID'),
    ]);
    const free = await post(wrong.map(([trip]) => trip));
    expect([expectOk(free).results, free.headers['x-tokens-charged']]).toEqual([[], '0']);
  });

  test('trips past the balance or max_rows are truncated, as they were sent', async () => {
    const trips = someTrips().slice(0, 5);
    const poor = await demo.api.newCustomer({ tokens: 3 * PRICE + 4 });
    const body = expectOk(await demo.api.post(PATH, { trips }, { as: poor }));
    expect([body.results.length, body.truncated]).toEqual([3, trips.slice(3)]);
    expect(body.truncated_reason).toBe('insufficient-balance');
    const refused = await demo.api.post(PATH, { trips }, { as: poor });
    expectProblem(refused, 'tokens-exhausted');
    expect(refused.json().tokens_required).toBe(PRICE);
    expect(refused.json().detail).toContain(`at least ${PRICE} tokens`);
    const few = expectOk(await post(trips, { max_rows: 2 }));
    expect([few.truncated, few.truncated_reason]).toEqual([trips.slice(2), 'row-budget']);
    // Clients of text formats send the last of the request again, as many as are truncated.
    const unknown = { from: '990019999999999', to: trips[0].from };
    const tail = [trips[1], unknown, trips[2]];
    const cut = expectOk(await post([trips[0], ...tail], { max_rows: 1 }));
    expect([cut.truncated, cut.errors]).toEqual([tail, []]);
    const [first, second] = trips;
    const timed = { ...second, mode: 'transit', departs: '08:15' };
    const request = { trips: [first, timed], max_rows: 1 };
    const csv = await demo.api.post(PATH, request, { headers: { accept: 'text/csv' } });
    const { from, to, dest_id } = second as { from: string; to?: string; dest_id?: number };
    const written = encodeURIComponent(`${from} ${to ?? dest_id} transit 08:15`);
    expect(csv.headers['x-truncated']).toBe(written);
  });

  test('a request with two ends, an unknown mode, or too many blocks for a spread is refused', async () => {
    const { block, poi, release } = demo;
    const from = block.geoid;
    expectInvalid(await post([{ from, to: from, dest_id: poi.dest_id }]), 'trips');
    expectInvalid(await post([{ from, to: from, mode: 'car' }]), 'mode');
    expectInvalid(await post([{ from, to: from, departs: '09:00' }]), 'departs');
    expectInvalid(await post([{ from, to: from, depart: '08:00' }]), 'depart');
    const many = release.blocks.slice(0, 11).map(({ geoid }) => ({ from: geoid, to: from }));
    expectInvalid(await post(many, { spread: true }), 'spread');
    expectOk(await post(many));
    expectProblem(await post([]), 'missing-origins');
    expectProblem(await post(Array.from({ length: 251 }, () => many[0])), 'too-many-origins');
  });
});
