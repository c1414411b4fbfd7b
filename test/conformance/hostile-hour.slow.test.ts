import path from 'node:path';
import { build } from 'rolldown';
import { beforeAll, expect, inject, test } from 'vitest';
import { folderOfEachTest, folderOfTests } from '../support/temporary-folder.ts';
import { MAX_ERROR_BYTES } from './fuzz/judge.ts';
import { type HourReport, runHour } from './hostile-hour/run-hour.ts';

const FEWEST_OF_EACH_ATTACK = 1;
/** Additional files that a service may keep open: its objects. */
const MORE_FILES = 20;
/** Most bytes of an unread response that Linux accepts: the largest buffers of both ends. */
const KERNEL_BYTES = 8 * 2 ** 20;
const MAX_HEAD_BYTES = 2_000;
/** Upper bound on the rows of a block's summary: modes times types, and a few more. */
const MAX_OF_A_SUMMARY = 300;

const SECONDS = 4;
const CLIENTS = ['honest-client', 'hostile-client'];

const folder = folderOfEachTest();
/** Folder of the compiled clients, which are separate programs. */
const programs = folderOfTests();
beforeAll(async () => {
  const input = CLIENTS.map((name) => `test/conformance/hostile-hour/${name}.ts`);
  await build({ input, platform: 'node', output: { dir: programs } });
});

// `npm run bench -- hostile` measures latency for the honest client, and memory.
test("in a hostile client's hour an honest client's requests succeed by retries, and the ledger adds up", async () => {
  const hour = await runHour(inject('demoStore'), path.join(folder, 'ledger'), {
    // The honest client stays within the limit; hostile keys soon reach it.
    perMinute: 1_200,
    programs,
    seconds: SECONDS,
  });
  const { begun, idle, beside, hostile, files } = hour;
  expect([...begun.failures, ...idle.failures, ...beside.failures], 'the honest client').toEqual(
    [],
  );
  expect(hostile.failures, 'responses over 499, but for shed ones').toEqual([]);
  expect(hostile.largestError).toBeLessThanOrEqual(MAX_ERROR_BYTES);
  expect(Math.min(...Object.values(hostile.attacks))).toBeGreaterThan(FEWEST_OF_EACH_ATTACK);
  expect(files.after).toBeLessThan(files.before + MORE_FILES);
  booksAgree(hour);
});

/** Every account's books add up, and match what its owner received. */
function booksAgree({ books, begun, idle, beside, largest, hostile }: HourReport): void {
  const { delivered, received, attacks } = hostile;
  for (const [who, { granted, used, balance }] of Object.entries(books)) {
    expect(granted - used, who).toBe(balance);
  }
  expect({
    honest: books.honest.used,
    refused: books.refused.used,
    paying: books.paying.used,
    repeating: books.repeating.used,
  }).toEqual({
    honest: begun.charged + idle.charged + beside.charged + largest.tokens,
    refused: 0,
    paying: delivered.paying,
    // Each of these batches was eventually received in full, after resets and cuts, and is charged
    // once.
    repeating: delivered.repeating,
  });
  // An aborted response is charged at least for what arrived, at most for what the kernel accepted.
  expect(largest.bytes).toBeGreaterThan(KERNEL_BYTES);
  const tokensFor = (bytes: number) => largest.tokens * Math.min(1, bytes / largest.bytes);
  const broken = attacks['resets in mid-response'];
  const came = received.breaking - broken * MAX_HEAD_BYTES;
  const least = Math.floor((largest.tokens * came) / largest.bytes);
  expect(books.breaking.used).toBeGreaterThanOrEqual(least);
  const most = broken * tokensFor(received.breaking / broken + KERNEL_BYTES);
  expect(books.breaking.used).toBeLessThan(most);
  const neglected = attacks['paid responses that nobody reads'];
  expect(books.neglecting.used).toBeLessThan(neglected * tokensFor(KERNEL_BYTES));
  expect(books.leaving.used).toBeLessThanOrEqual(attacks['resets at once'] * MAX_OF_A_SUMMARY);
}
