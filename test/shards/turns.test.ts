import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Turns } from '../../shards/concurrency/turns.ts';

const STEP_MS = 0.25;
const asker = new Turns('asker');

// The clock advances only with the steps of the work.
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  await aTurn();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Waits one turn of the event loop, which ends the time slice of the previous work. */
const aTurn = () => new Promise(setImmediate);

/** Does work whose steps advance the clock, and counts the steps of each turn of the event loop. */
async function stepsByTurn(work: (busy: (ms: number) => Generator<undefined, void>) => unknown) {
  await aTurn();
  const turns = [0];
  let isOver = false;
  const look = () => {
    turns.push(0);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work(function* busy(ms) {
    for (let step = 0; step < ms / STEP_MS; step++) {
      vi.advanceTimersByTime(STEP_MS);
      turns[turns.length - 1]++;
      yield;
    }
  });
  isOver = true;
  return turns;
}

test('many concurrent tasks hold the event loop no longer than one', async () => {
  const works = 40;
  const alone = await stepsByTurn((busy) => asker.run(busy(200)));
  const together = await stepsByTurn((busy) =>
    Promise.all(Array.from({ length: works }, () => asker.run(busy(200)))),
  );
  expect(alone.length).toBeGreaterThan(40);
  // Each task begins with one step. If every task were given a slice per turn, a turn would take
  // forty times as long.
  expect(Math.max(...together)).toBeLessThan(Math.max(...alone) + 2 * works);
  expect(together.reduce((sum, steps) => sum + steps)).toBe((works * 200) / STEP_MS);
});

test('tasks of one client continue in their order of arrival', async () => {
  const order: number[] = [];
  const works = Array.from({ length: 5 }, async (_, nr) => {
    for (let round = 0; round < 3; round++) {
      vi.advanceTimersByTime(10);
      await asker.yieldIfOverdue();
      order.push(nr);
    }
  });
  await Promise.all(works);
  expect(order).toHaveLength(15);
  expect(order.slice(-5)).toEqual([0, 1, 2, 3, 4]);
});

test('a hundred tasks of one client delay another client’s task by a turn, not by a hundred', async () => {
  const order: string[] = [];
  const work = async (clientId: string, pauses: number) => {
    const turns = new Turns(clientId);
    for (let pause = 0; pause < pauses; pause++) {
      vi.advanceTimersByTime(5);
      await turns.yieldIfOverdue();
    }
    order.push(clientId);
  };
  const many = Array.from({ length: 100 }, () => work('many', 2));
  await Promise.all([...many, work('few', 3)]);
  // Clients take turns: each pause of `few` lets one task of `many` continue.
  expect(order.indexOf('few')).toBeLessThan(6);
  expect(order).toHaveLength(101);
});

test('short work continues in the same turn', async () => {
  const pauses = [asker.yieldIfOverdue(), asker.yieldIfOverdue()];
  expect(pauses).toEqual([undefined, undefined]);
});
