import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  basketOf,
  basketTally,
  furthestClasses,
  metClasses,
} from '../../portal/pages/map/measures/basket.ts';
import { forAll } from '../support/for-all.ts';

/** Generates criteria, given by their minutes, and blocks with a band per criterion and people. */
const baskets = fc.integer({ min: 1, max: 8 }).chain((criteria) =>
  fc.record({
    minutes: fc.array(fc.constantFrom(5, 10, 15, 20, 25, 30), {
      minLength: criteria,
      maxLength: criteria,
    }),
    blocks: fc.array(
      fc.record({
        bands: fc.array(fc.nat(7), { minLength: criteria, maxLength: criteria }),
        people: fc.option(fc.nat(500)),
      }),
      { minLength: 1, maxLength: 30 },
    ),
  }),
);

test('the people of a basket match a plain count, block by block', () =>
  forAll(400, baskets, ({ minutes, blocks }) => {
    const bands = minutes.map((_, j) => Uint8Array.from(blocks, (block) => block.bands[j]));
    const basket = basketOf(
      bands,
      minutes.map((one) => ({ minutes: one })),
    );
    const population = blocks.map(({ people }) => people);
    const tally = basketTally(
      basket,
      population,
      blocks.map((_, i) => i),
    );
    // The plain count: `true` if met, `false` if not met, null if not known.
    const outcomes = blocks.map((block) =>
      block.bands.map((band, j) => (band === 0 ? null : band * 5 <= minutes[j])),
    );
    const peopleWhere = (holds: (i: number) => boolean) =>
      blocks.reduce((sum, { people }, i) => sum + (holds(i) ? (people ?? 0) : 0), 0);
    const isUnknown = (i: number) => !outcomes[i].includes(false) && outcomes[i].includes(null);
    const metAt = (i: number) => outcomes[i].filter((one) => one === true).length;
    expect(tally.allPeople).toBe(peopleWhere(() => true));
    expect(tally.notKnown).toBe(peopleWhere(isUnknown));
    expect(tally.met).toEqual(
      Array.from({ length: minutes.length + 1 }, (_, n) =>
        peopleWhere((i) => !isUnknown(i) && metAt(i) === n),
      ),
    );
    expect(tally.missing).toEqual(
      minutes.map((_, j) => peopleWhere((i) => outcomes[i][j] === false)),
    );
    const byFurthest = furthestClasses(basket);
    const byMet = metClasses(basket);
    blocks.forEach((block, i) => {
      const known = block.bands.filter((band) => band !== 0);
      const isOver = known.includes(7);
      const furthest = !isOver && known.length < minutes.length ? 255 : Math.max(...known) % 7;
      expect([i, byFurthest[i]]).toEqual([i, furthest]);
      const met = metAt(i);
      const classed = met === 0 ? 0 : Math.min(6, minutes.length - met + 1);
      expect([i, byMet[i]]).toEqual([i, isUnknown(i) ? 255 : classed]);
    });
    expect(tally.furthest.reduce((sum, one) => sum + one, 0)).toBe(tally.allPeople);
  }));
