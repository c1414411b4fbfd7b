import { expect, test } from 'vitest';
import { SingleFlight } from '../../shards/concurrency/single-flight.ts';
import { Turns } from '../../shards/concurrency/turns.ts';

test('concurrent callers share one computation, and later ones find its cached result', async () => {
  const flight = new SingleFlight<string, number>(new Map());
  let made = 0;
  const make = async () => {
    await new Promise(setImmediate);
    return ++made;
  };
  const callers = Array.from({ length: 5 }, () => flight.getOrCompute('a', make));
  expect(await Promise.all(callers)).toEqual([1, 1, 1, 1, 1]);
  expect(await flight.getOrCompute('a', make)).toBe(1);
  expect(await flight.getOrCompute('b', make)).toBe(2);
  expect(flight.get('a')).toBe(1);
});

test('a failure reaches all waiting callers, and is not cached', async () => {
  const flight = new SingleFlight<string, number>(new Map());
  let tries = 0;
  const make = async () => {
    await new Promise(setImmediate);
    if (++tries === 1) throw new Error('no disk');
    return tries;
  };
  const first = await Promise.allSettled([
    flight.getOrCompute('a', make),
    flight.getOrCompute('a', make),
  ]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(flight.get('a')).toBeUndefined();
  expect(await flight.getOrCompute('a', make)).toBe(2);
});

test('without caching, the computation is still shared', async () => {
  const flight = new SingleFlight<string, number>(null);
  let made = 0;
  const make = async () => ++made;
  expect(
    await Promise.all([flight.getOrCompute('a', make), flight.getOrCompute('a', make)]),
  ).toEqual([1, 1]);
  expect(await flight.getOrCompute('a', make)).toBe(2);
  expect(flight.get('a')).toBeUndefined();
});

test('a slow computation continues in the turns of another caller that needs it too', async () => {
  const flight = new SingleFlight<string, number>(null);
  const steps = 10;
  const work = (nr: number) => async (turns: Turns) => {
    for (let step = 0; step < steps; step++) {
      for (const end = performance.now() + 5; performance.now() < end; );
      await turns.yieldIfOverdue();
    }
    return nr;
  };
  const order: number[] = [];
  const made = Array.from({ length: 10 }, (_, nr) => {
    return flight
      .getOrCompute(`${nr}`, work(nr), new Turns('many'))
      .then((value) => order.push(value));
  });
  const last = `${made.length - 1}`;
  made.push(
    flight.getOrCompute(last, work(-1), new Turns('few')).then((value) => order.push(value)),
  );
  await Promise.all(made);
  expect(order.slice(0, 2)).toEqual([made.length - 2, made.length - 2]);
});
