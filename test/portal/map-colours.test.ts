import { describe, expect, test } from 'vitest';
import { classLabel, MAP_COLOURS } from '../../portal/map-classes.ts';
import { BAND_ENDS } from '../../shards/bands/time-bands.ts';
import {
  COLOUR_BLINDNESS,
  deltaE2000,
  labOf,
  rgbOf,
  seenWith,
} from '../support/colour-difference.ts';

test('ΔE2000 has the values of the pairs that were published with it', () => {
  for (const [one, other, expected] of [
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, -1.3802, -84.2814], [50, 0, -82.7485], 1],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[50, 2.5, 0], [50, 3.2592, 0.335], 1],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[90.8027, -2.0831, 1.441], [91.1528, -1.6435, 0.0447], 1.4441],
  ] as const) {
    expect(deltaE2000(one, other)).toBeCloseTo(expected, 3);
  }
});

test('the classes of a map are the six bands of five minutes', () => {
  expect(BAND_ENDS.map((_, i) => classLabel(i)).join(' ')).toBe('0–5 5–10 10–15 15–20 20–25 25–30');
});

test('a color means the same minutes in light and dark, and lightness rises with them', () => {
  const { light, dark } = MAP_COLOURS;
  expect(dark.classes).toEqual(light.classes);
  const lightness = light.classes.map((colour) => labOf(rgbOf(colour))[0]);
  expect(lightness).toEqual(lightness.toSorted((a, b) => a - b));
});

describe.each(['light', 'dark'] as const)('in %s', (scheme) => {
  const { classes, beyond, stripe } = MAP_COLOURS[scheme];
  const steps = [...classes, beyond].map(rgbOf);

  test('neighbouring classes differ, and each class differs from over 30 minutes', () => {
    for (const [kind, least] of [
      [null, 10],
      ...Object.keys(COLOUR_BLINDNESS).map((name) => [name, 7] as const),
    ] as const) {
      const seen = steps.map((colour) =>
        labOf(kind === null ? colour : seenWith(COLOUR_BLINDNESS[kind], colour)),
      );
      for (let i = 1; i < seen.length; i++) {
        expect([kind, i, deltaE2000(seen[i - 1], seen[i])]).toEqual([kind, i, atLeast(least)]);
        const fromGround = deltaE2000(seen[i - 1], seen.at(-1)!);
        expect([kind, i, fromGround]).toEqual([kind, i, atLeast(least)]);
      }
    }
  });

  test('stripes of no data differ from every class, and from over 30 minutes', () => {
    for (const [i, colour] of steps.entries()) {
      const found = deltaE2000(labOf(colour), labOf(rgbOf(stripe)));
      expect([i, found]).toEqual([i, atLeast(15)]);
    }
  });
});

function atLeast(least: number) {
  return expect.toSatisfy((found: number) => found >= least, `at least ${least}`);
}
