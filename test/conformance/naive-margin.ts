import type { NaiveBlock, NaiveRelease } from './naive-release.ts';

/** Standard deviations of the noise of a block's people and of a block group's. */
const [BLOCK, BLOCK_GROUP] = [3.17692 * Math.sqrt(6), 1.75195];

/** The margin of sums of people over blocks: that of the part with the largest, by trying each. */
export function marginOfPeople(release: NaiveRelease, blocks: readonly NaiveBlock[]): number {
  const hasPeople = ({ population }: NaiveBlock) => (population ?? 0) > 0;
  const groupOf = ({ geoid }: NaiveBlock) => geoid.slice(0, 12);
  const summed = blocks.filter(hasPeople);
  const groups = new Set(summed.map(groupOf));
  const all = release.blocks.filter((block) => hasPeople(block) && groups.has(groupOf(block)));
  let most = 0;
  for (let n = 1; n <= summed.length; n++) {
    const share = n / all.length;
    const variance = BLOCK ** 2 * n * (1 - share) + BLOCK_GROUP ** 2 * groups.size * share;
    most = Math.max(most, 1.645 * Math.sqrt(variance));
  }
  return Math.ceil(most);
}
