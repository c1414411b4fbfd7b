import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runBatch } from '../../proxy/batch/batch.ts';
import { allColumns, Columns } from '../../proxy/formats/columns.ts';
import { ROW_FORMATS } from '../../proxy/formats/row-format.ts';
import type { RowFormat, Rows, TextFormat } from '../../proxy/formats/rows.ts';
import {
  CoverageSums,
  coverageParts,
  requestedCoverage,
} from '../../proxy/queries/areas/coverage.ts';
import {
  accessColumns,
  accessOf,
  requestedAccess,
} from '../../proxy/queries/opportunities/access.ts';
import { locateOrigin, originOfGeoid } from '../../proxy/queries/origins/origin-block.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import { geoidFromNumber } from '../../shards/geoid.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';

const proxy = proxyOfTests();

/** Time per row: sixteen rows fill the four milliseconds of work that a turn may take. */
const ROW_MS = 0.25;
const MOST = 16;

// Time passes only with the rows.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Renders in a format whose rows take time, and counts the rows of each turn of the event loop. */
async function rowsByTurn(render: (format: RowFormat) => Promise<unknown>): Promise<number[]> {
  await new Promise(setImmediate);
  const turns = [0];
  let isOver = false;
  const look = () => {
    turns.push(0);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  const json = ROW_FORMATS.json as TextFormat;
  await render({
    ...json,
    rows(columns) {
      const rows = json.rows(columns);
      const of: Rows['of'] = (...parts) => {
        const add = rows.of(...parts);
        return (...keys) => {
          vi.advanceTimersByTime(ROW_MS);
          turns[turns.length - 1]++;
          add(...keys);
        };
      };
      return { format: rows.format, columns, count: 0, bytes: 0, of };
    },
  });
  isOver = true;
  return turns;
}

/**
 * Expects that turns share the rows. The first row of a slice starts its clock, and a turn may hold
 * the end of one slice and another one.
 */
function expectShared(turns: readonly number[], rows: number): void {
  expect(turns.reduce((sum, count) => sum + count)).toBe(rows);
  expect(Math.max(...turns)).toBeLessThanOrEqual(2 * MOST + 2);
}

test('coverage of groups lets other requests in between its rows', async () => {
  const release = proxy.releases.current;
  const [weight, ...by] = release.weights.slice(0, 12).map((one) => one.weight);
  const { query } = requestedCoverage(release, {
    weight: [weight],
    by,
    nth: 1,
    small: false,
    names: false,
  });
  const rows = query.types.length * query.modes.length * (1 + by.length);
  expect(rows).toBeGreaterThan(1_000);
  const turns = await rowsByTurn((format) =>
    new CoverageSums(release, query).addTo(format.rows(allColumns(coverageParts(query)))),
  );
  expectShared(turns, rows);
});

test('curves of opportunities let other requests in between their rows', async () => {
  const release = proxy.releases.current;
  const [{ manifest }] = release.counties;
  const index = await release.index(manifest);
  const geoid = geoidFromNumber(index.geoids.find((_, i) => index.isFullyRoutable(i))!);
  const of = release.weights.slice(0, 12).map((one) => one.weight);
  const asked = { of, direction: 'from', curve: true, decay: 'step' } as const;
  const { access } = requestedAccess(release, asked);
  const block = await locateOrigin(release, originOfGeoid(release, geoid));
  const found = accessOf(block, access);
  expect(found.count).toBe(of.length * access.modes.length * 60);
  const turns = await rowsByTurn((format) =>
    found.addTo(format.rows(accessColumns(access).columns)),
  );
  expectShared(turns, found.count);
});

const ID = new Columns<number>({ id: { type: 'int32', of: (id) => id } });

test('a batch lets other requests in between its origins', async () => {
  const origins = Array.from({ length: 250 }, (_, i) => i);
  const batch = {
    origins,
    rowBudget: 1_000,
    rowPrice: 1,
    turns: Turns.SHARED,
    columns: ID.columns,
    identify: (id: number) => ({ id }),
    shorten: (id: number) => id,
    respond: async (id: number) => ({
      rows: {
        count: 1,
        async addTo(rows: Rows) {
          rows.of(ID)(id);
        },
      },
    }),
  };
  const turns = await rowsByTurn((format) => runBatch(batch, 1_000, { format }));
  expectShared(turns, origins.length);
});
