import { PEOPLE, WEIGHT_SOURCES, type Weight } from './weight.ts';

/** Blocks that are summed. Blocks without people count nowhere: their counts are rarely changed. */
export interface SummedBlocks {
  readonly blocks: number;
  /** The blocks of all block groups that have any of them. */
  readonly ofBlockGroups: number;
  readonly blockGroups: number;
}

/** Standard normal quantile of the 90 % of cases that a margin holds for. */
const QUANTILE = 1.645;

/**
 * The noise of the census of 2020: its global scale, and the shares of the privacy loss that the
 * levels have, and the queries of a level (`person_default.ini`, `person_US.ini` and
 * `strategies.py` of the Census Bureau's DAS 2020 Redistricting Production Code).
 */
const GLOBAL_SCALE = 339 / 542;
const SHARE = {
  block: { level: 165 / 4_099, detailed: 3_945 / 4_097 },
  blockGroup: { level: 1_256 / 4_099, total: 1_705 / 4_099, ethnicityByRace: 1_055 / 4_099 },
};

/** Standard deviation of the noise of a query. */
const deviation = (level: number, query: number) => GLOBAL_SCALE / Math.sqrt(level * query);

/** The noise of each count by age, ethnicity, race and quarters in a block. */
const IN_BLOCK = deviation(SHARE.block.level, SHARE.block.detailed);
/** The noise of a block group: of all people, and of each count by ethnicity and race. */
const ALL_IN_BLOCK_GROUP = deviation(SHARE.blockGroup.level, SHARE.blockGroup.total);
const IN_BLOCK_GROUP = deviation(SHARE.blockGroup.level, SHARE.blockGroup.ethnicityByRace);

/**
 * The number of such counts that people, and a group of them, mostly are in a block; counts near 0
 * add little noise, since none may be negative. With 2, a block group of 450 to 499 people has the
 * reliability of groups that the Census Bureau reports (SSS2021-02).
 */
const COUNTS = { people: 6, group: 2 };
const OF_CENSUS = new Set<string>([WEIGHT_SOURCES.blocks, WEIGHT_SOURCES.redistricting]);
const ALL_AGES = new Set<string>([PEOPLE.weight, 'people_18_plus']);

/**
 * Returns the margin of sums of a weight over blocks: in 90 of 100 cases, the noise of the census
 * changed the sum over the blocks, or over any part of them, by no more. Null where no measure of
 * the error is published.
 *
 * Errors of blocks are independent, except that those of a whole block group add up to the error of
 * the block group, which is small: over n of its N blocks, the variance is s² n (1 − n ÷ N), and
 * n ÷ N of that of the block group.
 */
export function marginOf(weight: Weight, summed: SummedBlocks): number | null {
  const noise = deviationsOf(weight);
  if (noise === null) return null;
  const { blocks, ofBlockGroups, blockGroups } = summed;
  if (blocks === 0) return 0;
  const ofBlock = noise.block ** 2;
  const ofGroups = (noise.blockGroup ** 2 * blockGroups) / ofBlockGroups;
  const ofLargestVariance = Math.round((ofBlockGroups / 2) * (1 + ofGroups / ofBlock));
  const part = Math.min(blocks, Math.max(1, ofLargestVariance));
  const variance = part * (ofBlock * (1 - part / ofBlockGroups) + ofGroups);
  return Math.ceil(QUANTILE * Math.sqrt(variance));
}

/** Whether sums of a weight have a margin: counts of people by the census. */
export function hasMargin({ source, unit }: Weight): boolean {
  return OF_CENSUS.has(source) && unit === PEOPLE.unit;
}

/** Standard deviations of the errors of a block and of a block group. */
function deviationsOf(weight: Weight): { block: number; blockGroup: number } | null {
  if (!hasMargin(weight)) return null;
  const counts = ALL_AGES.has(weight.weight) ? COUNTS.people : COUNTS.group;
  return {
    block: IN_BLOCK * Math.sqrt(counts),
    blockGroup:
      weight.weight === PEOPLE.weight ? ALL_IN_BLOCK_GROUP : IN_BLOCK_GROUP * Math.sqrt(counts),
  };
}
