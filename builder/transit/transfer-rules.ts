import { addTo } from '../../shards/arrays/group-by.ts';
import type { StopOrdinal } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import type { Feed } from '../gtfs/feed.ts';
import { FEED_LIMITS } from '../gtfs/limits.ts';
import { MILLIS_PER_SECOND } from '../routing-parameters.ts';
import type { TransferRule } from './build-footpaths.ts';

/**
 * Returns a feed's rules for transfers between the stops that have ordinals, at most one rule per
 * pair of stops. A rule for a station applies to each of its stops, unless a more specific one
 * names them. The slower of two equally specific rules applies.
 */
export function transferRulesOf(
  feed: Feed,
  ordinals: ReadonlyMap<string, StopOrdinal>,
): TransferRule[] {
  const children = new Map<string, StopOrdinal[]>();
  for (const [id, ordinal] of ordinals) {
    for (const name of new Set([id, feed.stops.get(id)!.parent])) {
      addTo(children, name, ordinal);
    }
  }
  const chosen = new Map<string, { rule: TransferRule; named: number }>();
  let pairs = 0;
  for (const { from, to, kind, minimum } of feed.transfers.betweenStops) {
    const [froms, tos] = [children.get(from) ?? [], children.get(to) ?? []];
    pairs += froms.length * tos.length;
    if (pairs > FEED_LIMITS.transferRules) {
      throw new BuildError(
        `${feed.source.path}: transfers.txt: with the rule from ${from} to ${to}, its rules cover more than ${FEED_LIMITS.transferRules} pairs of stops; remove redundant ones`,
      );
    }
    const named = Number(ordinals.has(from)) + Number(ordinals.has(to));
    for (const a of froms) {
      for (const b of tos) {
        const rule = { from: a, to: b, kind, minimum: minimum * MILLIS_PER_SECOND };
        const known = chosen.get(`${a} ${b}`);
        if (known && (known.named - named || slowness(known.rule) - slowness(rule)) >= 0) continue;
        chosen.set(`${a} ${b}`, { rule, named });
      }
    }
  }
  return [...chosen.values()].map(({ rule }) => rule);
}

/** Ranks conflicting rules, of which the slower is the safer choice. */
function slowness({ kind, minimum }: TransferRule): number {
  const order = { timed: -2, usual: -1, minimum, never: Number.POSITIVE_INFINITY };
  return order[kind];
}
