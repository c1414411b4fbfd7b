import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forAll } from '../support/for-all.ts';
import type { Fault, Wire } from '../support/wire.ts';
import { all, clientTests, TYPES } from './client-harness.ts';

const tests = clientTests();

const FAULTS: readonly (Fault | null)[] = [
  ...([null, 'reset', 'lost'] as const),
  ...[0, 40, 2_000].map((cut) => ({ cut })),
];
/** Generates the faults of the first requests; null lets a request pass, as do later requests. */
const faultsOf = (kinds: readonly (Fault | null)[]) =>
  fc.array(fc.constantFrom(...kinds), { maxLength: 6 });

function plan(wire: Wire, faults: readonly (Fault | null)[]): void {
  const left = [...faults];
  wire.fault = () => left.shift() ?? null;
}

test('a batch has the rows of plain requests, each charged once, despite cut and lost responses', async () => {
  const origins = tests.geoids.slice(0, 270);
  const plain: unknown[] = [];
  for (const part of [origins.slice(0, 135), origins.slice(135)]) {
    const { results } = await tests.plain('/v1/blocks/summary', { origins: part, ...TYPES });
    plain.push(...(results as unknown[]));
  }
  await forAll(
    6,
    faultsOf(FAULTS),
    fc.integer({ min: 250, max: 900 }),
    async (faults, max_rows) => {
      const { client, wire, spent } = await tests.customer({ retries: 8 });
      plan(wire, faults);
      const rows = await all(client.getBlockSummaries({ origins, ...TYPES, max_rows }).rows());
      expect(rows).toEqual(plain);
      expect(await spent()).toBe(plain.length);
    },
  );
});

test('pages of a POST have the rows of a plain request, each charged once, despite the same faults', async () => {
  const { block_box: box } = tests.proxy.releases.current.county('99001')!;
  const center = { lon: (box[0] + box[2]) / 2, lat: (box[1] + box[3]) / 2 };
  const area = { center, radius_m: 900, ...TYPES };
  const { results } = await tests.plain('/v1/blocks/query', { ...area, limit: 1_000 });
  await forAll(4, faultsOf(FAULTS), fc.integer({ min: 60, max: 200 }), async (faults, limit) => {
    const { client, wire, spent } = await tests.customer({ retries: 8 });
    plan(wire, faults);
    expect(await all(client.queryBlocks({ ...area, limit }).rows())).toEqual(results);
    expect(await spent()).toBe((results as unknown[]).length);
  });
});

test('pages of a GET are charged once where the connection breaks before the response', async () => {
  const geoid = tests.geoids[0];
  const { results } = await tests.plain(`/v1/blocks/${geoid}/summary`);
  await forAll(
    4,
    faultsOf([null, 'reset']),
    fc.integer({ min: 20, max: 80 }),
    async (faults, limit) => {
      const { client, wire, spent } = await tests.customer({ retries: 8 });
      plan(wire, faults);
      expect(await all(client.getBlockSummary({ geoid, limit }).rows())).toEqual(results);
      expect(await spent()).toBe((results as unknown[]).length);
    },
  );
});
