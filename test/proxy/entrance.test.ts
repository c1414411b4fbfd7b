import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Entrance } from '../../portal/http/entrance.ts';

const MANY = 200;

test('one who asks once enters before all that another asks at the same time', async () => {
  const entrance = new Entrance();
  const entered: string[] = [];
  const begin = (asker: string) => () => {
    entered.push(asker);
    const until = performance.now() + 1;
    while (performance.now() < until);
  };
  for (let i = 0; i < MANY; i++) entrance.pass(() => 'many', begin('many'));
  // Nobody has entered of those for whom there was no time.
  const atOnce = entered.length;
  entrance.pass(() => 'few', begin('few'));
  let turns = 0;
  for (; entered.length <= MANY; turns++) await turn();
  expect(entered.indexOf('few')).toBeLessThanOrEqual(atOnce + 1);
  // A turn begins no more than there is time for: four milliseconds of a millisecond each.
  expect(atOnce).toBeLessThan(10);
  expect(turns).toBeGreaterThan(MANY / 10);
});

test('those of one asker enter in their order, whether they wait or not', async () => {
  const entrance = new Entrance();
  const entered: number[] = [];
  for (let i = 0; i < MANY; i++) {
    entrance.pass(
      () => 'any',
      () => entered.push(i),
    );
    if (i % 50 === 0) await turn();
  }
  while (entered.length < MANY) await turn();
  expect(entered).toEqual(Array.from({ length: MANY }, (_, i) => i));
});
