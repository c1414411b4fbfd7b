import { sumCounts } from '../../shards/prefix-sums.ts';
import type { TargetOrdinal } from '../../shards/units.ts';
import type { Link } from './linker.ts';
import type { SearchGraph } from './search-graph.ts';

/**
 * Where the targets of a search hang on its graph. A target may have several links (the gates of a
 * park); each is reached from both ends of its chain, so it stands twice in `entries`: under
 * vertex `v`, from `firstEntry[v]` to `firstEntry[v + 1]`, two numbers each: the target, and the
 * milliseconds from the vertex to it.
 */
export interface Terminals {
  readonly targetCount: number;
  readonly firstEntry: Int32Array;
  readonly entries: Int32Array;
  /**
   * Targets by chain, for origins on the same chain, who need not pass an end of it: from
   * `firstOnChain[c]` to `firstOnChain[c + 1]`, four numbers each: the target, and its link's
   * `along`, `alongBack` and `offStreet`.
   */
  readonly firstOnChain: Int32Array;
  readonly onChain: Int32Array;
}

export interface TargetLink {
  readonly target: TargetOrdinal;
  readonly link: Link;
}

/** Hangs links on a graph. `targetCount`: target numbers are below it. */
export function hangTerminals(
  graph: SearchGraph,
  targetCount: number,
  links: readonly TargetLink[],
): Terminals {
  const { chains, vertexCount } = graph;
  const firstEntry = new Int32Array(vertexCount + 1);
  for (const { link } of links) {
    firstEntry[chains.a[link.chain] + 1]++;
    firstEntry[chains.b[link.chain] + 1]++;
  }
  const entries = new Int32Array(sumCounts(firstEntry) * 2);
  const next = firstEntry.slice();
  const hang = (vertex: number, target: TargetOrdinal, cost: number) => {
    const at = 2 * next[vertex]++;
    entries[at] = target;
    entries[at + 1] = cost;
  };
  for (const { target, link } of links) {
    const { chain, along, alongBack, offStreet } = link;
    hang(chains.a[chain], target, along + offStreet);
    hang(chains.b[chain], target, chains.backward[chain] - alongBack + offStreet);
  }
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
