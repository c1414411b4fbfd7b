import { expect, test } from 'vitest';
import { breathe, inSlices } from '../../shards/breathe.ts';
import { watchLoop } from '../support/loop-watch.ts';

const STEP_MS = 0.2;

/** Work of so many milliseconds, in short steps. */
function* busy(ms: number): Generator<undefined, number, undefined> {
  let steps = 0;
  const end = performance.now() + ms;
  while (performance.now() < end) {
    for (const stepEnd = performance.now() + STEP_MS; performance.now() < stepEnd; );
    steps++;
    yield;
  }
  return steps;
}

test('what many do at the same time holds the event loop no longer than what one does', async () => {
  const works = 40;
  const alone = await watchLoop(() => inSlices('asker', busy(200)));
  const together = await watchLoop(() =>
    Promise.all(Array.from({ length: works }, () => inSlices('asker', busy(200)))),
  );
  expect(alone.turns).toBeGreaterThan(10);
  // Were each given a slice a turn, a turn would take forty times as long.
  expect(together.heldMs).toBeLessThan(alone.heldMs * 4 + 10);
});

test('what one asker wants goes on in the order in which it came', async () => {
  const order: number[] = [];
  const works = Array.from({ length: 5 }, async (_, nr) => {
    for (let round = 0; round < 3; round++) {
      for (const end = performance.now() + 10; performance.now() < end; );
      await breathe('asker');
      order.push(nr);
    }
  });
  await Promise.all(works);
  expect(order).toHaveLength(15);
  expect(order.slice(-5)).toEqual([0, 1, 2, 3, 4]);
});

test('a hundred works of one asker keep the work of another waiting for a turn, not for a hundred', async () => {
  const order: string[] = [];
  const work = async (asker: string, pauses: number) => {
    for (let pause = 0; pause < pauses; pause++) {
      for (const end = performance.now() + 5; performance.now() < end; );
      await breathe(asker);
    }
    order.push(asker);
  };
  const many = Array.from({ length: 100 }, () => work('many', 2));
  await Promise.all([...many, work('few', 3)]);
  // By turns, each of its pauses lets one of the others go on.
  expect(order.indexOf('few')).toBeLessThan(6);
  expect(order).toHaveLength(101);
}, 20_000);

test('short work goes on in the same turn', async () => {
  await new Promise(setImmediate);
  const pauses = [breathe('asker'), breathe('asker')];
  expect(pauses).toEqual([undefined, undefined]);
});
