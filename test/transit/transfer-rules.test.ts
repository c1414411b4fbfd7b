import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feed } from '../../builder/gtfs/feed.ts';
import { FEED_LIMITS } from '../../builder/gtfs/limits.ts';
import type { TransferRule } from '../../builder/transit/build-footpaths.ts';
import { transferRulesOf } from '../../builder/transit/transfer-rules.ts';
import { forAll } from '../support/for-all.ts';
import { Dice } from './dice.ts';

interface Written {
  readonly from: string;
  readonly to: string;
  readonly kind: TransferRule['kind'];
  /** Minimum transfer time in seconds. */
  readonly minimum: number;
}

/** Rules between pairs of stops `s0` and so on, some of which are at stations. */
function rulesOf(parents: readonly string[], rules: readonly Written[]) {
  const feed = {
    stops: new Map(parents.map((parent, i) => [`s${i}`, { parent }])),
    transfers: { betweenStops: rules },
    source: { path: 'feed.zip' },
  } as unknown as Feed;
  return transferRulesOf(feed, new Map(parents.map((_, i) => [`s${i}`, i])));
}

/** Kinds of rules, from the fastest to the slowest. */
const SLOWNESS = ['timed', 'usual', 'minimum', 'never'];

test('the most specific rule applies to each pair of stops, and of several the slowest', () =>
  forAll(300, fc.nat(), (seed) => {
    const dice = new Dice(seed);
    const parents = Array.from({ length: 1 + dice.below(5) }, () => dice.pick(['', 'A', 'B']));
    const names = [...parents.map((_, i) => `s${i}`), 'A', 'B', 'elsewhere'];
    const rules = Array.from({ length: dice.below(9) }, (): Written => {
      const kind = dice.pick(['timed', 'usual', 'minimum', 'minimum', 'never'] as const);
      const minimum = kind === 'minimum' ? dice.below(4) : 0;
      return { from: dice.pick(names), to: dice.pick(names), kind, minimum };
    });
    const stops = [...parents.keys()];
    const expected = stops.flatMap((from) =>
      stops.flatMap((to) => {
        const fits = (name: string, stop: number) => name === `s${stop}` || name === parents[stop];
        const own = rules
          .filter((rule) => fits(rule.from, from) && fits(rule.to, to))
          .map((rule) => ({
            ...rule,
            named: [rule.from, rule.to].filter((name) => name.startsWith('s')).length,
          }))
          .sort(
            (a, b) =>
              b.named - a.named ||
              SLOWNESS.indexOf(b.kind) - SLOWNESS.indexOf(a.kind) ||
              b.minimum - a.minimum,
          );
        if (own.length === 0) return [];
        return [{ from, to, kind: own[0].kind, minimum: 1_000 * own[0].minimum }];
      }),
    );
    const order = (list: readonly TransferRule[]) =>
      list.toSorted((a, b) => a.from - b.from || a.to - b.to);
    expect(order(rulesOf(parents, rules))).toEqual(expected);
  }));

test('rules of stations that cover too many pairs of stops are refused', () => {
  const side = Math.ceil(Math.sqrt(FEED_LIMITS.transferRules + 1));
  const parents = Array.from({ length: side }, () => 'A');
  const rule = { from: 'A', to: 'A', kind: 'usual', minimum: 0 } as const;
  expect(() => rulesOf(parents, [rule])).toThrow(
    `feed.zip: transfers.txt: with the rule from A to A, its rules cover more than ${FEED_LIMITS.transferRules} pairs`,
  );
});
