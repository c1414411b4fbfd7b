import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from '../../shards/concurrency/fair-queue.ts';
import { Turns } from '../../shards/concurrency/turns.ts';
import { forAll } from '../support/for-all.ts';

interface Wanted {
  readonly clientId: string;
  readonly nr: number;
}

function queueOf(all: readonly Wanted[]): FairQueue<Wanted> {
  const queue = new FairQueue<Wanted>();
  for (const one of all) queue.push(one.clientId, one);
  return queue;
}

function drained(queue: FairQueue<Wanted>): Wanted[] {
  const left: Wanted[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) left.push(next);
  return left;
}

const hundred = Array.from({ length: 100 }, (_, nr) => ({ clientId: 'many', nr }));

test('a client with a few requests waits for one at a time of another client’s hundred', () => {
  const queue = queueOf([...hundred, { clientId: 'few', nr: 0 }, { clientId: 'few', nr: 1 }]);
  const order = drained(queue).map(({ clientId }) => clientId);
  expect(order).toHaveLength(102);
  expect(order.slice(0, 4)).toEqual(['many', 'few', 'many', 'few']);
});

test('a newcomer goes before clients already served, and from then on is served no more often than they are', () => {
  const others = ['a', 'b', 'c', 'd'];
  const queue = queueOf(others.flatMap((clientId) => hundred.map(({ nr }) => ({ clientId, nr }))));
  for (let i = 0; i < 10; i++) queue.shift();
  const order: string[] = [];
  for (let nr = 0; nr < 20; nr++) {
    // The newcomer requests one item at a time, the next as soon as the last has arrived.
    if (nr === 0 || order.at(-1) === 'newcomer')
      queue.push('newcomer', { clientId: 'newcomer', nr });
    order.push(queue.shift()!.clientId);
  }
  expect(order[0]).toBe('newcomer');
  expect(order.filter((clientId) => clientId === 'newcomer')).toHaveLength(
    20 / (others.length + 1),
  );
});

const clientId = fc.constantFrom('a', 'b', 'c', 'd');

test('a queue loses nothing, and serves clients in order, with at most one item of each other client in between', () =>
  forAll(100, fc.array(clientId, { maxLength: 60 }), (clients) => {
    const all = clients.map((one, nr) => ({ clientId: one, nr }));
    const order = drained(queueOf(all));
    for (const one of new Set(clients)) {
      const mine = all.filter((wanted) => wanted.clientId === one);
      expect(order.filter((wanted) => wanted.clientId === one)).toEqual(mine);
    }
    for (const [i, { clientId: one }] of order.entries()) {
      const before = order.slice(0, i).map((wanted) => wanted.clientId);
      const between = before.slice(before.lastIndexOf(one) + 1);
      expect(new Set(between).size).toBe(between.length);
    }
    expect(order).toHaveLength(all.length);
  }));

test('an endless stream of new clients does not starve one that has been served', () => {
  const queue = queueOf(hundred.slice(0, 10));
  const servedAt: number[] = [];
  for (let nr = 0; nr < 1_000; nr++) {
    queue.push(`new ${nr}`, { clientId: `new ${nr}`, nr });
    if (queue.shift()!.clientId === 'many') servedAt.push(nr);
  }
  expect(servedAt).toHaveLength(10);
  expect(servedAt.at(-1)).toBeLessThan(10 * 40);
});

test('a client that may not proceed is skipped, and keeps its place', () => {
  const queue = queueOf(['a', 'a', 'b', 'c'].map((clientId, nr) => ({ clientId, nr })));
  expect(queue.shift((clientId) => clientId !== 'a')?.nr).toBe(2);
  expect(queue.shift(() => false)).toBeUndefined();
  expect(drained(queue).map(({ nr }) => nr)).toEqual([0, 3, 1]);
});

test('an item requested by several clients is fetched once, at the first turn of any of them', () => {
  const queue = queueOf(hundred);
  const shared = { clientId: 'many and few', nr: 100 };
  const both = new Turns('many');
  both.join(new Turns('few'));
  queue.push(both, shared);
  expect(drained(queue).indexOf(shared)).toBe(1);
});
