import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, Party } from '../../shards/fair-queue.ts';
import { forAll } from '../support/for-all.ts';

interface Wanted {
  readonly asker: string;
  readonly nr: number;
}

function queueOf(all: readonly Wanted[]): FairQueue<Wanted> {
  const queue = new FairQueue<Wanted>();
  for (const one of all) queue.push(one.asker, one);
  return queue;
}

function drained(queue: FairQueue<Wanted>): Wanted[] {
  const left: Wanted[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) left.push(next);
  return left;
}

const hundred = Array.from({ length: 100 }, (_, nr) => ({ asker: 'many', nr }));

test('who wants little comes after one of a hundred things that another wants', () => {
  const queue = queueOf([...hundred, { asker: 'few', nr: 0 }, { asker: 'few', nr: 1 }]);
  const order = drained(queue).map(({ asker }) => asker);
  expect(order).toHaveLength(102);
  expect(order.slice(0, 4)).toEqual(['many', 'few', 'many', 'few']);
});

test('who has just come goes before those who have been served, and then no more often than they', () => {
  const others = ['a', 'b', 'c', 'd'];
  const queue = queueOf(others.flatMap((asker) => hundred.map(({ nr }) => ({ asker, nr }))));
  for (let i = 0; i < 10; i++) queue.shift();
  const order: string[] = [];
  for (let nr = 0; nr < 20; nr++) {
    // Asks for one thing at a time, again as soon as it has it.
    if (nr === 0 || order.at(-1) === 'newcomer') queue.push('newcomer', { asker: 'newcomer', nr });
    order.push(queue.shift()!.asker);
  }
  expect(order[0]).toBe('newcomer');
  expect(order.filter((asker) => asker === 'newcomer')).toHaveLength(20 / (others.length + 1));
});

const asker = fc.constantFrom('a', 'b', 'c', 'd');

test('nothing is lost; an asker has things in order, and others one each at most in between', () =>
  forAll(100, fc.array(asker, { maxLength: 60 }), (askers) => {
    const all = askers.map((one, nr) => ({ asker: one, nr }));
    const order = drained(queueOf(all));
    for (const one of new Set(askers)) {
      const mine = all.filter((wanted) => wanted.asker === one);
      expect(order.filter((wanted) => wanted.asker === one)).toEqual(mine);
    }
    for (const [i, { asker: one }] of order.entries()) {
      const before = order.slice(0, i).map((wanted) => wanted.asker);
      const between = before.slice(before.lastIndexOf(one) + 1);
      expect(new Set(between).size).toBe(between.length);
    }
    expect(order).toHaveLength(all.length);
  }));

test('ever new askers do not keep out one who has been served', () => {
  const queue = queueOf(hundred.slice(0, 10));
  const servedAt: number[] = [];
  for (let nr = 0; nr < 1_000; nr++) {
    queue.push(`new ${nr}`, { asker: `new ${nr}`, nr });
    if (queue.shift()!.asker === 'many') servedAt.push(nr);
  }
  expect(servedAt).toHaveLength(10);
  expect(servedAt.at(-1)).toBeLessThan(10 * 40);
});

test('who may not go on is passed over, and keeps the place', () => {
  const queue = queueOf(['a', 'a', 'b', 'c'].map((asker, nr) => ({ asker, nr })));
  expect(queue.shift((asker) => asker !== 'a')?.nr).toBe(2);
  expect(queue.shift(() => false)).toBeUndefined();
  expect(drained(queue).map(({ nr }) => nr)).toEqual([0, 3, 1]);
});

test('what several want comes once, as soon as it is the turn of any of them', () => {
  const queue = queueOf(hundred);
  const shared = { asker: 'many and few', nr: 100 };
  const party = new Party('many');
  party.join(new Party('few'));
  queue.push(party, shared);
  expect(drained(queue).indexOf(shared)).toBe(1);
});
