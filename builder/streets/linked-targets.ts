import { sumCounts } from '../../shards/arrays/prefix-sums.ts';
import type { Millis, TargetOrdinal } from '../../shards/units.ts';
import type { Link } from './linker.ts';
import type { SearchGraph } from './search-graph.ts';

/**
 * The targets of a search, attached to its graph. A target may have several links (the gates of a
 * park). Each link is reached from both ends of its chain and, on a street that may not be passed
 * through, also from both ends of the copy on which trips end (`mode-graph.ts`). So a link has two
 * or four entries. Those of vertex `v` are `firstEntry[v]` to `firstEntry[v + 1]`, exclusive, with
 * two numbers each in `entries`: the target, and the milliseconds from the vertex to the target.
 */
export interface LinkedTargets {
  readonly targetCount: number;
  readonly firstEntry: Int32Array;
  readonly entries: Int32Array;
  /**
   * Targets by chain, for origins on the same chain, which reach them without passing an end of the
   * chain. Those of chain `c` are `firstOnChain[c]` to `firstOnChain[c + 1]`, exclusive, with four
   * numbers each in `onChain`: the target, and its link's `along`, `alongBack` and `offStreet`.
   */
  readonly firstOnChain: Int32Array;
  readonly onChain: Int32Array;
}

export interface TargetLink {
  readonly target: TargetOrdinal;
  readonly link: Link;
}

/** Attaches links to a graph. `targetCount`: exclusive upper bound of target ordinals. */
export function linkTargets(
  graph: SearchGraph,
  targetCount: number,
  links: readonly TargetLink[],
): LinkedTargets {
  const { chains, vertexCount } = graph;
  const firstEntry = new Int32Array(vertexCount + 1);
  const eachEntry = (visit: (vertex: number, target: TargetOrdinal, cost: Millis) => void) => {
    for (const { target, link } of links) {
      const { chain, along, alongBack, offStreet } = link;
      const fromA = along + offStreet;
      const fromB = chains.backward[chain] - alongBack + offStreet;
      const copy = chains.lastLeg[chain];
      visit(chains.a[chain], target, fromA);
      visit(chains.b[chain], target, fromB);
      if (copy === chain) continue;
      visit(chains.a[copy], target, fromA);
      visit(chains.b[copy], target, fromB);
    }
  };
  eachEntry((vertex) => firstEntry[vertex + 1]++);
  const entries = new Int32Array(sumCounts(firstEntry) * 2);
  const next = firstEntry.slice();
  eachEntry((vertex, target, cost) => {
    const at = 2 * next[vertex]++;
    entries[at] = target;
    entries[at + 1] = cost;
  });
  const firstOnChain = new Int32Array(chains.a.length + 1);
  for (const { link } of links) firstOnChain[link.chain + 1]++;
  const onChain = new Int32Array(sumCounts(firstOnChain) * 4);
  const nextOnChain = firstOnChain.slice();
  for (const { target, link } of links) {
    const at = 4 * nextOnChain[link.chain]++;
    onChain.set([target, link.along, link.alongBack, link.offStreet], at);
  }
  return { targetCount, firstEntry, entries, firstOnChain, onChain };
}

/**
 * Returns the targets below `count`, ordered along the streets, whose vertices are numbered along a
 * space-filling curve. Targets without a link come last.
 */
export function targetsAlongStreets({ entries }: LinkedTargets, count: number): Int32Array {
  const order = new Int32Array(count);
  const isIn = new Uint8Array(count);
  let next = 0;
  const take = (target: TargetOrdinal) => {
    if (target >= count || isIn[target]) return;
    isIn[target] = 1;
    order[next++] = target;
  };
  for (let at = 0; at < entries.length; at += 2) take(entries[at]);
  for (let target = 0; target < count; target++) take(target);
  return order;
}
