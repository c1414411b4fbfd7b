import fc from 'fast-check';
import { expect, test } from 'vitest';
import { raiseStressAtCrossings } from '../../builder/streets/crossing-stress.ts';
import { stressBackward, stressForward, withStress } from '../../builder/streets/trait-bits.ts';
import { streetTraits } from '../../builder/streets/way-traits.ts';
import { forAll } from '../support/for-all.ts';
import { tagsOf } from '../support/tags.ts';

interface Street {
  readonly ends: readonly [from: number, to: number];
  /** Traffic stress forward and backward. */
  readonly stress: readonly [number, number];
  /** A tag states the stress. */
  readonly isTagged: boolean;
}

/** The stress of each street, both ways, once its crossings are taken into account. */
function raised(streets: readonly Street[], signals: readonly boolean[]) {
  const traits = raiseStressAtCrossings(
    {
      vertexCount: signals.length,
      edgeCount: streets.length,
      from: Uint32Array.from(streets, ({ ends }) => ends[0]),
      to: Uint32Array.from(streets, ({ ends }) => ends[1]),
      traits: Uint32Array.from(streets, ({ stress, isTagged }) =>
        withStress(
          streetTraits(tagsOf(isTagged ? 'highway=path, lts=1' : 'highway=path')),
          ...stress,
        ),
      ),
    },
    Uint8Array.from(signals, Number),
  );
  return Array.from(traits, (of) => [stressForward(of), stressBackward(of)]);
}

test('a crossing passes on the stress of a street that is stressful one way only', () => {
  const calm = { ends: [0, 1], stress: [1, 1], isTagged: false } as const;
  for (const stress of [
    [1, 4],
    [4, 1],
  ] as const) {
    const oneSided = { ends: [1, 2], stress, isTagged: false } as const;
    expect(raised([calm, oneSided], [false, false, false])).toEqual([
      [4, 4],
      [4, 4],
    ]);
    expect(raised([calm, oneSided], [false, true, true])).toEqual([[1, 1], stress]);
  }
});

const CROSSINGS = 6;
const stress = fc.integer({ min: 0, max: 4 });
const crossing = fc.nat(CROSSINGS - 1);
const street: fc.Arbitrary<Street> = fc.record({
  ends: fc.tuple(crossing, crossing),
  stress: fc.tuple(stress, stress),
  isTagged: fc.boolean(),
});

test('any street is as stressful as the worst that it meets without a signal, unless a tag says otherwise', () =>
  forAll(
    300,
    fc.array(street, { minLength: 1, maxLength: 12 }),
    fc.array(fc.boolean(), { minLength: CROSSINGS, maxLength: CROSSINGS }),
    (streets, signals) => {
      const expected = streets.map(({ ends, stress: own, isTagged }) => {
        if (isTagged) return own;
        const met = streets.filter((other) =>
          ends.some((end) => !signals[end] && other.ends.includes(end)),
        );
        const worst = Math.max(0, ...met.flatMap((other) => other.stress));
        return own.map((value) => Math.max(value, worst));
      });
      expect(raised(streets, signals)).toEqual(expected);
    },
  ));
