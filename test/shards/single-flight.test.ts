import { expect, test } from 'vitest';
import { SingleFlight } from '../../shards/single-flight.ts';

test('those who ask at the same time share one making, and later ones find it kept', async () => {
  const flight = new SingleFlight<string, number>(new Map());
  let made = 0;
  const make = async () => {
    await new Promise(setImmediate);
    return ++made;
  };
  const askers = Array.from({ length: 5 }, () => flight.make('a', make));
  expect(await Promise.all(askers)).toEqual([1, 1, 1, 1, 1]);
  expect(await flight.make('a', make)).toBe(1);
  expect(await flight.make('b', make)).toBe(2);
  expect(flight.get('a')).toBe(1);
});

test('a failure reaches all who waited for it, and is not remembered', async () => {
  const flight = new SingleFlight<string, number>(new Map());
  let tries = 0;
  const make = async () => {
    await new Promise(setImmediate);
    if (++tries === 1) throw new Error('no disk');
    return tries;
  };
  const first = await Promise.allSettled([flight.make('a', make), flight.make('a', make)]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(flight.get('a')).toBeUndefined();
  expect(await flight.make('a', make)).toBe(2);
});

test('where nothing is kept, the making is still shared', async () => {
  const flight = new SingleFlight<string, number>(null);
  let made = 0;
  const make = async () => ++made;
  expect(await Promise.all([flight.make('a', make), flight.make('a', make)])).toEqual([1, 1]);
  expect(await flight.make('a', make)).toBe(2);
  expect(flight.get('a')).toBeUndefined();
});
