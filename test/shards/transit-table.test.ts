import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { VarintReader } from '../../shards/codec/varint.ts';
import { runToCompletion } from '../../shards/concurrency/run-to-completion.ts';
import { ShardError } from '../../shards/errors.ts';
import { bufferBody } from '../../shards/store/put-body.ts';
import { Spool } from '../../shards/store/spool.ts';
import { timetableSteps, writeTimetable } from '../../shards/transit/timetable-codec.ts';
import {
  type CountyTransit,
  type StopWalks,
  TransitTable,
} from '../../shards/transit/transit-table.ts';
import { TransitWriter } from '../../shards/transit/transit-writer.ts';
import { expectRightOrNamed } from '../support/damaged-bytes.ts';
import { forAll } from '../support/for-all.ts';
import { UncheckedObjects } from '../support/unchecked-objects.ts';
import { Dice } from '../transit/dice.ts';
import {
  footpathsOf,
  type Network,
  randomNetwork,
  timetableOf,
} from '../transit/random-network.ts';

const store = UncheckedObjects.open();
afterAll(() => store.close());

const ROUTES = 6;

/** Random transit of a county in one to three windows, with its rows by kind. */
function drawnTransit(seed: number) {
  const dice = new Dice(seed);
  const drawn = Array.from({ length: 1 + dice.below(3) }, () => randomNetwork(dice));
  const stopCount = Math.max(...drawn.map((network) => network.stopCount));
  const networks = drawn.map((network) => ({ ...network, stopCount }));
  const walks = (): StopWalks => {
    const stops = [...Array(stopCount).keys()].filter(() => dice.chance(0.4));
    return { stops, times: stops.map(() => dice.below(2_000_000)) };
  };
  const rows = () => Array.from({ length: dice.below(4) }, walks);
  const shared = {
    step: 60_000,
    boardSlack: dice.below(100),
    stops: Array.from({ length: stopCount }, (_, i) => `Stop ${i} – “é”`),
    footpaths: footpathsOf(networks[0]),
  };
  const inWindow = (network: Network): CountyTransit => ({
    ...shared,
    windowStart: dice.pick([28_800_000, -3_600_000]),
    departures: 1 + dice.below(60),
    routes: Array.from({ length: ROUTES + dice.below(3) }, (_, i) => `Line ${i}`),
    timetable: timetableOf(network),
  });
  const names = ['am', 'saturday', 'früh'];
  const windows = new Map(networks.map((network, w) => [names[w], inWindow(network)]));
  return { windows, origins: rows(), blocks: rows(), pois: rows() };
}

async function encoded({ windows, origins, blocks, pois }: ReturnType<typeof drawnTransit>) {
  const counts = { origins: origins.length, blocks: blocks.length, pois: pois.length };
  const writer = new TransitWriter('object', windows, counts, new Spool('small enough for memory'));
  for (const row of [...origins, ...blocks, ...pois]) writer.row(row);
  return bufferBody(writer.finish());
}

const readTimetable = (bytes: Uint8Array, stops: number, routes: number) =>
  runToCompletion(timetableSteps(new VarintReader(bytes), stops, routes));

const plain = ({ stops, times }: StopWalks) => ({
  stops: Array.from(stops),
  times: Array.from(times),
});

test('a timetable is read as it was written', () =>
  forAll(200, fc.nat(), (seed) => {
    const network = randomNetwork(new Dice(seed));
    const timetable = timetableOf(network);
    const bytes = writeTimetable(timetable);
    expect(readTimetable(bytes, network.stopCount, ROUTES)).toEqual(timetable);
  }));

test('the transit of a county is read as it was written, each row by one range', () =>
  forAll(60, fc.nat(), async (seed) => {
    const drawn = drawnTransit(seed);
    const table = await TransitTable.open(store, store.add(await encoded(drawn)));
    expect(table.windows).toEqual(drawn.windows);
    for (const [i, row] of drawn.origins.entries()) {
      expect(plain(await table.accessOf(i))).toEqual(row);
    }
    for (const [i, row] of drawn.blocks.entries()) {
      expect(plain(await table.egressToBlock(i))).toEqual(row);
    }
    for (const [i, row] of drawn.pois.entries()) {
      expect(plain(await table.egressToPoi(i))).toEqual(row);
    }
    await table.checkRows();
  }));

test('a damaged table is read correctly, or raises a named error', () =>
  forAll(150, fc.nat(), fc.nat(), async (seed, where) => {
    const drawn = drawnTransit(seed);
    await expectRightOrNamed(await encoded(drawn), where, async (harmed) => {
      const table = await TransitTable.open(store, store.add(harmed));
      expect(table.windows).toEqual(drawn.windows);
      await table.checkRows();
    });
  }));

describe('a timetable from a faulty program', () => {
  const reading = (...numbers: number[]) => {
    return () => readTimetable(Uint8Array.from(numbers), 2, 1);
  };

  test('is read where it is valid', () => {
    // One pattern of two calls and one trip, without continuations.
    const { callStop, departures } = reading(10, 1, 2, 1, 0, 3, 1, 3, 0, 2, 0, 4, 0, 0)();
    expect([...callStop]).toEqual([0, 1]);
    expect([...departures]).toEqual([10, 30]);
  });

  test.each([
    ['counts 9 patterns', [1, 9]],
    ['counts 100 calls', [1, 1, 100, 1]],
    ['counts 3 trips', [1, 1, 2, 3, 0, 0, 0]],
    ['has stop 2 of 2', [1, 1, 1, 1, 2, 3, 0, 0, 0, 0]],
    ['has rules 4 of 4', [1, 1, 1, 1, 1, 4, 0, 0, 0, 0]],
    ['has route 1 of 1', [1, 1, 1, 1, 1, 3, 1, 0, 0, 0]],
    ['has continuations of trip 1 of 1', [1, 1, 1, 1, 1, 3, 0, 0, 0, 2, 1, 0, 0, 0]],
    ['continues as trip 1 of pattern 0', [1, 1, 1, 1, 1, 3, 0, 0, 0, 1, 1, 0, 1, 0]],
  ])('%s', (problem, numbers) => {
    expect(reading(...numbers)).toThrow(new RangeError(problem));
  });
});

test('a table is written with rows whose stops ascend, and with all of its rows', async () => {
  const { windows } = drawnTransit(1);
  const counts = { origins: 1, blocks: 1, pois: 0 };
  const writer = new TransitWriter('object', windows, counts, new Spool('never written'));
  expect(() => writer.row({ stops: [1, 1], times: [5, 5] })).toThrow('row 0: stops do not ascend');
  writer.row({ stops: [1], times: [5] });
  expect(() => writer.finish()).toThrow('1 rows of 2');
});

test('a table of another kind is refused', async () => {
  const ref = store.add(new Uint8Array(100));
  await expect(TransitTable.open(store, ref)).rejects.toThrow(ShardError);
});
