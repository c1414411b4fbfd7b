import type { Geoid } from '../../../shards/geoid.ts';
import type { Mode } from '../../../shards/modes.ts';
import type { Minutes } from '../../../shards/units.ts';
import type { AddressMatch } from '../addresses/address-match.ts';
import { type CoverBits, greedyCoverSteps } from './greedy-cover.ts';
import type { LocatedSite } from './locate-sites.ts';
import { NearestSite } from './nearest-site.ts';
import { coverOf, type Reaching, reachesOf, withinOf } from './site-reach.ts';
import { type UncoveredBlock, uncoveredSteps } from './uncovered-blocks.ts';
import { readWeight, type WeightedArea } from './weighted-area.ts';

type SumsByMinutes = Readonly<Record<string, number>>;

interface PlacedSite {
  readonly id: LocatedSite['id'];
  readonly block: Geoid;
  /** The match that was taken for an address. */
  readonly match?: AddressMatch;
}

/** Sums of a weight over an area, by minutes to the nearest site. */
interface AreaSums {
  readonly mode: Mode;
  readonly weight: string;
  readonly total: number;
  readonly within: SumsByMinutes;
  readonly beyond: number;
  readonly no_data: number;
}

/** A chosen candidate, and how much of the first weight it adds to the choices before it. */
interface Choice {
  readonly id: LocatedSite['id'];
  readonly gain: number;
  readonly total_within: number;
}

/** The measures of a response about sites; all but `results` are of the first weight. */
interface SiteMeasures {
  readonly results: readonly AreaSums[];
  readonly sites: readonly (PlacedSite & { within: SumsByMinutes; overlap: SumsByMinutes })[];
  readonly gains: readonly (PlacedSite & { gain: SumsByMinutes })[];
  readonly chosen: readonly Choice[];
  readonly uncovered: readonly UncoveredBlock[];
}

interface Measuring extends Reaching {
  readonly area: WeightedArea;
  /** The first is that of `area`. */
  readonly weights: readonly string[];
  readonly sites: readonly LocatedSite[];
  readonly candidates: readonly LocatedSite[];
  /**
   * Sorted ascending; candidates are chosen by the first, and blocks beyond the last are uncovered.
   */
  readonly minutes: readonly Minutes[];
  /** Number of candidates to choose; 0 for none. */
  readonly choose: number;
  /** Number of blocks to list that no site covers; 0 for none. */
  readonly uncovered: number;
}

export async function measureSites(measuring: Measuring): Promise<SiteMeasures> {
  const { release, area, minutes } = measuring;
  const nearest = new NearestSite(area.count);
  const sites = await measureEach(measuring, nearest);
  const { gains, covers } = await measureGains(measuring, nearest);
  const chosen = await chooseBest(measuring, nearest, covers);
  const mode = release.services[measuring.mode].mode;
  const last = minutes[minutes.length - 1];
  const uncovered =
    measuring.uncovered === 0
      ? []
      : await release.turns.run(uncoveredSteps(area, nearest, mode, last, measuring.uncovered));
  const results: AreaSums[] = [];
  for (const name of measuring.weights) {
    const isFirst = name === area.weight.name;
    const weight = isFirst ? area.weight : await readWeight(area.parts, name, measuring);
    const { counts, total, noData } = weight;
    const sums = await release.turns.run(nearest.withinSteps(counts));
    const within = byMinutes(minutes, (minute) => sums[minute]);
    const beyond = total - noData - sums[last];
    results.push({ mode, weight: name, total, within, beyond, no_data: noData });
  }
  return { results, sites, gains, chosen, uncovered };
}

async function measureEach(
  measuring: Measuring,
  nearest: NearestSite,
): Promise<SiteMeasures['sites']> {
  const { release, sites, area, minutes } = measuring;
  const { counts } = area.weight;
  const reached: Float64Array[] = [];
  for await (const reach of reachesOf(sites, area, measuring)) {
    nearest.add(reach);
    reached.push(withinOf(reach, counts));
  }
  const alone = await release.turns.run(nearest.aloneSteps(counts));
  return sites.map((site, i) => ({
    ...placed(site),
    within: byMinutes(minutes, (minute) => reached[i][minute]),
    overlap: byMinutes(minutes, (minute) => reached[i][minute] - alone[i][minute]),
  }));
}

/** Measures what each candidate adds to the sites, and what it covers if any is to be chosen. */
async function measureGains(
  measuring: Measuring,
  nearest: NearestSite,
): Promise<{ gains: SiteMeasures['gains']; covers: CoverBits[] }> {
  const { candidates, area, minutes, choose } = measuring;
  const { counts } = area.weight;
  const gained: Float64Array[] = [];
  const covers: CoverBits[] = [];
  for await (const reach of reachesOf(candidates, area, measuring)) {
    gained.push(nearest.gain(reach, counts));
    if (choose > 0) covers.push(coverOf(reach, area.count, minutes[0]));
  }
  const gains = candidates.map((site, i) => ({
    ...placed(site),
    gain: byMinutes(minutes, (minute) => gained[i][minute]),
  }));
  return { gains, covers };
}

async function chooseBest(
  { release, candidates, area, minutes: [within], choose }: Measuring,
  nearest: NearestSite,
  covers: readonly CoverBits[],
): Promise<Choice[]> {
  if (covers.length === 0) return [];
  const { counts } = area.weight;
  const covered = await release.turns.run(nearest.coveredSteps(within));
  let total_within = (await release.turns.run(nearest.withinSteps(counts)))[within];
  const steps = await release.turns.run(greedyCoverSteps(covers, covered, counts, choose));
  return steps.map(({ candidate, gain }) => {
    total_within += gain;
    return { id: candidates[candidate].id, gain, total_within };
  });
}

function placed({ id, block, match }: LocatedSite): PlacedSite {
  return { id, block: block.geoid, ...(match && { match }) };
}

function byMinutes(minutes: readonly Minutes[], sum: (minute: Minutes) => number): SumsByMinutes {
  return Object.fromEntries(minutes.map((minute) => [String(minute), sum(minute)]));
}
